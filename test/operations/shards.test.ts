import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { parseShard, partOf } from '../../src/operations/projects.js';

const units = (count: number) => Array.from({ length: count }, (_, at) => ({ project: `clients/${at}` }));

describe('shards', () => {
  it('are disjoint, together all projects, and of equal size', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 12 }), (count, total) => {
        const all = units(count);
        const parts = Array.from({ length: total }, (_, at) => partOf(all, { index: at + 1, total }));
        expect(new Set(parts.flat())).toEqual(new Set(all));
        expect(parts.flat()).toHaveLength(count);
        const sizes = parts.map((part) => part.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('take every n-th project', () => {
    expect(partOf(units(7), { index: 2, total: 3 }).map(({ project }) => project)).toEqual([
      'clients/1',
      'clients/4',
    ]);
    expect(partOf(units(2), null)).toHaveLength(2);
  });

  it('are written as I/N', () => {
    expect(parseShard('2/8')).toEqual({ index: 2, total: 8 });
    expect(parseShard(null)).toBeNull();
    for (const written of ['0/8', '9/8', '1', '1/2/3', '1.5/2', '-1/2', '1/0', '/', '/4', 'auto', ''])
      expect(() => parseShard(written), written).toThrow(Failure);
  });
});
