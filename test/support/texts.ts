import fc from 'fast-check';
import { htmlToText } from '../../src/email/html-text.js';

/** Any Unicode character except lone surrogates. `fc.string({ unit: 'binary' })` takes a second to create the same. */
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Text of any characters, and sometimes a name that every JavaScript object has, such as `constructor`. */
export function anyText({ minLength = 0, maxLength = 10 } = {}): fc.Arbitrary<string> {
  const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'length'];
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.array(character, { minLength, maxLength }).map((characters) => characters.join('')),
    },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => name.slice(0, maxLength)) },
  );
}

/** Joins wrapped lines, because wrapping depends on names and widths. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** What a page shows, in one line. */
export function readPage(page: string): string {
  return oneLine(htmlToText(page));
}
