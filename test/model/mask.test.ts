import { expect, test } from 'vitest';
import { createMask, hideTokens, knownTokens } from '../../src/model/mask.js';

const TOKEN = '12|secret-7f3aZ';
const tokens = knownTokens(['CAMPAIGNS_TOKEN'], { CAMPAIGNS_TOKEN: TOKEN });

test.each([
  ['plain', `a ${TOKEN} b`, 'a [token] b'],
  ['twice', `${TOKEN}${TOKEN}`, '[token][token]'],
  ['as part of a URL', `?t=${encodeURIComponent(TOKEN)}&x`, '?t=[token]&x'],
  ['as JSON escapes it', '12\\u007csecret-7f3aZ', '[token]'],
  ['as HTML escapes it', '12&#124;secret-7f3aZ 12&vert;secret-7f3aZ', '[token] [token]'],
  ['not at all', '12|secret', '12|secret'],
])('a token is masked however it is spelled: %s', (_, text, masked) => {
  expect(createMask(TOKEN)(text)).toBe(masked);
  expect(hideTokens(text, tokens)).toBe(masked);
});

test('a message that cuts the token shows none of its beginning', () => {
  for (let length = 4; length < TOKEN.length; length += 1)
    expect(hideTokens(`"x ${TOKEN.slice(0, length)}…" is wrong…`, tokens)).toBe('"x [token]…" is wrong…');
  expect(hideTokens('"x 12|…" is wrong', tokens)).toBe('"x 12|…" is wrong');
});

test('only set tokens of eight or more characters are known, each variable once', () => {
  const env = { LONG: ` ${TOKEN} `, SHORT: '1234567', EMPTY: '' };
  const known = knownTokens(['LONG', 'SHORT', 'EMPTY', 'UNSET', 'LONG'], env);
  expect(known.map(({ variable, token }) => [variable, token])).toEqual([['LONG', TOKEN]]);
});
