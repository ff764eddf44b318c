import type { ErrorCode } from 'yaml';
import type { Wording } from './finding.js';
import { quoted } from './text.js';

const WORDS: { [code in ErrorCode]?: [message: string, hint: string] } = {
  BAD_INDENT: [
    'The indentation does not fit.',
    'Indent everything that belongs to a key by the same number of spaces.',
  ],
  BAD_DQ_ESCAPE: [
    'The text in double quotes holds a backslash sequence that YAML does not know.',
    'Write \\\\ for a backslash, or use single quotes.',
  ],
  BAD_SCALAR_START: [
    'A text without quotes cannot begin with this character.',
    'Put the whole text in double quotes.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'There is a second ": " on the line.',
    'Put the text in double quotes, or begin a new line for the inner key.',
  ],
  BLOCK_IN_FLOW: [
    'Indented lists and sections cannot stand inside [ ] or { }.',
    'Write the outer one with indentation too.',
  ],
  KEY_OVER_1024_CHARS: [
    'A key is longer than 1024 characters.',
    'A quote or a line end is probably missing above.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'A key goes over several lines.',
    'A ":" is probably missing after a key, or quotes around a text.',
  ],
  NON_STRING_KEY: ['A key is not a text.', 'Keys are plain words.'],
  TAB_AS_INDENT: ['A tab is used for indentation.', 'Indent with spaces.'],
  UNEXPECTED_TOKEN: [
    'This does not fit what stands before it.',
    'Check the indentation, and put texts that begin with a brace, bracket or quote in double quotes as a whole.',
  ],
};

/** The library's errors in the author's words. `spot` is the text that the error is about. */
export function wordsFor(code: ErrorCode, message: string, spot: string): Wording {
  if (code === 'DUPLICATE_KEY') {
    return {
      code: 'duplicate-key',
      message: `The key ${quoted(spot)} is there twice in the same section.`,
      hint: 'Keep one of the two.',
    };
  }
  if (code === 'TAG_RESOLVE_FAILED') {
    return {
      code: 'yaml-tag',
      message: 'A tag (!name) gives the value another type.',
      hint: 'Leave the tag out; put a text that begins with "!" in quotes.',
    };
  }
  if (code === 'BAD_INDENT' && message.startsWith('Flow ')) {
    const said = 'A list [ … ] or section { … } does not end before this line.';
    return { code: 'yaml-syntax', message: said, hint: 'Add the closing bracket on a line above.' };
  }
  if (code === 'MISSING_CHAR') return { code: 'yaml-syntax', ...missingCharacter(message) };
  const [said, hint] = WORDS[code] ?? [
    `This is not YAML: ${firstSentence(message)}.`,
    'Check quotes, colons and indentation here and on the line above.',
  ];
  return { code: 'yaml-syntax', message: said, hint };
}

function missingCharacter(message: string): { message: string; hint: string } {
  if (message.includes('quote')) {
    return {
      message: 'A text in quotes does not end.',
      hint: 'Add the closing quote; inside double quotes write \\" for a quote.',
    };
  }
  if (message.startsWith('Implicit map keys')) {
    return {
      message: 'Here a key is expected, and there is no ":" after it.',
      hint: 'Write `key: value`; indent the lines of a longer text below its key.',
    };
  }
  return { message: `${firstSentence(message)}.`, hint: 'Check brackets, quotes and commas here and above.' };
}

function firstSentence(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
}
