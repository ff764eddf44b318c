import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSameName,
  unseenDifference,
  visible,
  visibleCopy,
  visibleCopyLine,
  visibleLine,
  withoutHidden,
} from '../../src/model/characters.js';
import { anyText } from '../support/texts.js';

/** Copied from the tables of Unicode (DerivedCoreProperties, UnicodeData), not from the properties of the engine. */
const RANGES: Record<string, [first: number, last?: number][]> = {
  'default ignorables': [
    ...([[0xad], [0x34f], [0x61c], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f]] as [number][]),
    ...([[0x200b, 0x200f], [0x202a, 0x202e], [0x2060, 0x206f], [0x3164], [0xfe00, 0xfe0f]] as [number][]),
    ...([[0xfeff], [0xffa0], [0xfff0, 0xfff8], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a]] as [number][]),
    [0xe0000, 0xe0fff],
  ],
  'spaces and separators': [
    [0xa0],
    [0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f],
    [0x205f],
    [0x3000],
  ],
  controls: [
    [0, 9],
    [0xb, 0x1f],
    [0x7f, 0x9f],
  ],
  'other formats and empty glyphs': [
    [0x70f],
    [0xfff9, 0xfffc],
    [0x2800],
    [0x13430, 0x1343f],
    [0x13441, 0x13442],
    [0x16fe4],
    [0x1d159],
  ],
  'halves and no characters': [
    [0xd800, 0xdfff],
    [0xfdd0, 0xfdef],
    [0xfffe, 0xffff],
    [0x10fffe, 0x10ffff],
  ],
};

describe('shown as a mark', () => {
  it.each(Object.entries(RANGES))('%s, between letters and on their own', (_, ranges) => {
    const codes = ranges.flatMap(([first, last = first]) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    );
    const marks = codes.map((code) => `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`);
    const characters = codes.map((code) => String.fromCodePoint(code));
    expect(characters.map((character) => visible(`a${character}b`))).toEqual(
      marks.map((mark) => `a${mark}b`),
    );
    expect(characters.map((character) => visible(character))).toEqual(marks);
  });

  it.each([
    ['a joiner between Latin letters', 'pay\u200dpal', 'pay<U+200D>pal'],
    ['a joiner behind an emoji that joins nothing', '👩‍💻 and\u200d', '👩‍💻 and<U+200D>'],
    ['an emoji that ends in a joiner', '👩\u200d!', '👩<U+200D>!'],
    ['a second presentation selector', '❤\ufe0f\ufe0f', '❤\ufe0f<U+FE0F>'],
    ['a selector behind a digit that is no key', '1\ufe0f', '1<U+FE0F>'],
    ['selectors that carry bytes behind an emoji', '😊\u{e0148}\u{e0155}', '😊<U+E0148><U+E0155>'],
    [
      'tags behind a flag that say something else',
      '🏴\u{e0068}\u{e0069}\u{e007f}',
      '🏴<U+E0068><U+E0069><U+E007F>',
    ],
    ['a non-joiner at the end of a Persian word', 'می\u200c', 'می<U+200C>'],
    ['a run of joiners', 'می\u200c\u200cخ', 'می<U+200C><U+200C>خ'],
    ['a no-break space between words', 'Spring\u00a0installers', 'Spring<U+00A0>installers'],
    ['a no-break space at the end', 'Spring\u00a0', 'Spring<U+00A0>'],
    ['full-width spaces between Latin words', 'a\u3000b', 'a<U+3000>b'],
    ['a Hangul filler as a name', '\u3164', '<U+3164>'],
    ['a no-break space between digits', 'Sale 5\u00a0000', 'Sale 5<U+00A0>000'],
    ['a narrow one', 'Sale 5\u202f000', 'Sale 5<U+202F>000'],
    ['a full-width space between ideographs', '東\u3000京', '東<U+3000>京'],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});

describe('as it is', () => {
  it.each([
    ['emoji', '👩‍💻 👨‍👩‍👧 🏴‍☠️ ❤️‍🔥 👩🏽‍🚀 🏳️‍🌈 ☎︎ ©️ 1️⃣ #️⃣ 🇫🇷 🧑🏿‍🤝‍🧑🏻'],
    ['flags of tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} England'],
    ['Persian', 'می‌خواهم کتاب‌ها را بخوانم'],
    ['an abbreviation in Arabic letters', '۱۴۴۷ ه‍.'],
    ['Hindi, Bengali, Sinhala', 'क्‍ष र‍्य ক্‍ষ ශ්‍රී ලංකා'],
    ['Malayalam, Kannada', 'അവന്‍ നന്‍മ ರ‍್ಯ'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ᠎ᠠ'],
    ['Hebrew, Arabic, Thai, Vietnamese, Greek', 'שלום عليكم؟ ١٢٣ ไม่เป็นไร Tiếng Việt Ελλάδα'],
    ['signs around Arabic numbers', '\u0600\u0661 \u06dd\u0662'],
    ['words of several alphabets', 'S\u0440ring, Весна, Άνοιξη, Spring: SMS-рассылка, β-версия 東京'],
    ['lines', 'a\n\nb'],
  ])('%s', (_, text) => {
    expect(visible(text)).toBe(text);
    expect(visibleLine(text)).toBe(text.replaceAll('\n', '⏎'));
  });

  it.each([
    ['French', 'Prêt ? « Oui » : 10\u202f000\u00a0€ !'],
    ['Japanese and Chinese', '\u3000お世話になります。\u3000東京 中文\u3000（例）'],
  ])('%s, in an email', (_, text) => {
    expect(visibleCopy(text)).toBe(text);
    expect(visibleCopyLine(`${text}\n`)).toBe(`${text}⏎`);
    expect(visible(text)).not.toBe(text);
  });

  it('whatever was shown once', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });
});

it('texts that read the same are the same without them', () => {
  expect(withoutHidden('Spring\u200b\u00a0in\u3164stallers 👩‍💻')).toBe('Spring installers 👩‍💻');
});

describe('texts that look the same', () => {
  it.each<[string, string, string | null]>([
    ['\u2764', '\u2764\ufe0f', 'U+FE0F'],
    ['\u2764\ufe0e', '\u2764\ufe0f', 'U+FE0E and U+FE0F'],
    ['Caf\u00e9', 'Cafe\u0301', null],
    ['Caf\u00e9 \u2764', 'Cafe\u0301 \u2764\ufe0f', 'U+FE0F'],
    ['\u2764', '\u2764', null],
    ['Caf\u00e9', 'Cafe', null],
  ])('%j and %j differ in %s', (one, other, points) => {
    expect(unseenDifference(one, other)).toBe(points);
    expect(unseenDifference(other, one) === null).toBe(points === null);
    if (points !== null) expect(isSameName(one, other)).toBe(true);
  });
});
