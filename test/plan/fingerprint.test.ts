import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../src/plan/fingerprint.js';

describe('a fingerprint', () => {
  it('is the SHA-256 of the value as JSON with sorted keys', () => {
    expect(fingerprint({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  it('does not depend on the order of keys, at any depth, nor on how the value came about', () => {
    const value = {
      name: 'Spring',
      steps: [{ id: 'settings', body: { plain_text: true, open_tracking: null } }],
    };
    const turned = {
      steps: [{ body: { open_tracking: null, plain_text: true }, id: 'settings' }],
      name: 'Spring',
    };
    expect(fingerprint(turned)).toBe(fingerprint(value));
    expect(fingerprint(JSON.parse(JSON.stringify(value)))).toBe(fingerprint(value));
  });

  it('depends on values, on their types and on the order of lists', () => {
    const values = [[1, 2], [2, 1], ['1', 2], { 0: 1, 1: 2 }, [1, 2, null], [[1, 2]], null, ''];
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
  });
});
