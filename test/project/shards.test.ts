import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { partOf, shardOf } from '../../src/project/index.js';

const things = fc.uniqueArray(fc.record({ key: fc.string(), weight: fc.nat(50) }), {
  selector: ({ key }) => key,
  maxLength: 40,
});

describe('shards', () => {
  it('are disjoint and together all, whatever the order in which the projects are seen', () => {
    fc.assert(
      fc.property(things, fc.integer({ min: 1, max: 12 }), (all, total) => {
        const parts = Array.from({ length: total }, (_, at) => partOf(all, { index: at + 1, total }));
        const keys = parts.flat().map(({ key }) => key);
        expect([...keys].sort()).toEqual(all.map(({ key }) => key).sort());
        const seenElsewhere = partOf([...all].reverse(), { index: 1, total }).map(({ key }) => key);
        expect(seenElsewhere.sort()).toEqual((parts[0] ?? []).map(({ key }) => key).sort());
        const loads = parts.map((part) => part.reduce((sum, { weight }) => sum + weight, 0));
        const heaviest = Math.max(0, ...all.map(({ weight }) => weight));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(heaviest);
      }),
    );
  });

  it('share out what weighs nothing as well', () => {
    const all = ['a', 'b', 'c', 'd'].map((key) => ({ key, weight: 0 }));
    expect([1, 2].map((index) => partOf(all, { index, total: 2 }).length)).toEqual([2, 2]);
  });

  it.each([
    ['2/8', {}, { index: 2, total: 8 }],
    ['auto', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '3' }, { index: 2, total: 3 }],
    ['auto', { CI_NODE_TOTAL: '1' }, { index: 1, total: 1 }],
    ['auto', { JOB_COMPLETION_INDEX: '0', CAMPAIGNCTL_SHARDS: '4' }, { index: 1, total: 4 }],
    ['auto', { BUILDKITE_PARALLEL_JOB: '3', BUILDKITE_PARALLEL_JOB_COUNT: '4' }, { index: 4, total: 4 }],
  ])('%s with %o is %o', (written, env, shard) => {
    expect(shardOf(written, env)).toEqual(shard);
  });

  it.each([
    ['0/8', {}],
    ['9/8', {}],
    ['1', {}],
    ['1/2/3', {}],
    ['1/1001', {}],
    ['1.5/2', {}],
    ['auto', {}],
    ['auto', { CI_NODE_TOTAL: '4' }],
    ['auto', { CI_NODE_INDEX: '5', CI_NODE_TOTAL: '4' }],
    ['auto', { CI_NODE_INDEX: '0', CI_NODE_TOTAL: '4' }],
    ['auto', { JOB_COMPLETION_INDEX: '1' }],
    ['auto', { JOB_COMPLETION_INDEX: '4', CAMPAIGNCTL_SHARDS: '4' }],
    ['auto', { JOB_COMPLETION_INDEX: '', CAMPAIGNCTL_SHARDS: '4' }],
    ['auto', { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2', BUILDKITE_PARALLEL_JOB: '0' }],
  ])('%s with %o is refused', (written, env) => {
    expect(() => shardOf(written, env)).toThrow(Failure);
  });

  it.each([
    ['JOB_COMPLETION_INDEX is empty', { JOB_COMPLETION_INDEX: '', CAMPAIGNCTL_SHARDS: '4' }],
    ['CAMPAIGNCTL_SHARDS is "four"', { JOB_COMPLETION_INDEX: '1', CAMPAIGNCTL_SHARDS: 'four' }],
    ['CI_NODE_INDEX is "-1"', { CI_NODE_INDEX: '-1', CI_NODE_TOTAL: '4' }],
  ])('names the variable where %s', (said, env) => {
    expect(() => shardOf('auto', env)).toThrow(`${said}, which is no number.`);
  });
});
