import { expect, test } from 'vitest';
import { withStateId } from '../../src/project/state-id.js';

test.each([
  ['state: { backend: git }\n', 'state: { backend: git, id: 5f1c }\n'],
  [
    '# Shared.\nstate: {backend: git, }  # all\nversion: 1\n',
    '# Shared.\nstate: {backend: git, id: 5f1c }  # all\nversion: 1\n',
  ],
  [
    'state:\n  backend: git  # shared\n  lease: 60\n',
    'state:\n  id: 5f1c\n  backend: git  # shared\n  lease: 60\n',
  ],
  [
    'environments:\n  live:\n    state:\n      backend: git\n',
    'environments:\n  live:\n    state:\n      id: 5f1c\n      backend: git\n',
  ],
  [
    'state: { lease: 60 }\nenvironments: { live: { state: { backend: git } } }\n',
    'state: { lease: 60 }\nenvironments: { live: { state: { backend: git, id: 5f1c } } }\n',
  ],
])('the id is written where the backend is: %j', (text, written) => {
  expect(withStateId(text, 'live', '5f1c')).toBe(written);
});

test('a file without a state is an error', () => {
  expect(() => withStateId('version: 1\n', 'live', '5f1c')).toThrow('no state');
});
