import type { LintSubject } from '../../manifest/resolve.js';
import { quoted } from '../../manifest/words.js';
import type { JsonObject } from '../../model/json.js';
import type { Text } from '../lint/email.js';
import { placeOf } from '../lint/excerpt.js';
import type { Remark } from '../lint/rule.js';
import type { Check, Fault, ReadEmail } from './check.js';
import { occurrence, type Phrase, phraseOf } from './phrase.js';

type Part = 'subject' | 'body';

const phrases = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
};

const schema: JsonObject = {
  title: 'WordsPolicy',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'Words and phrases, in whatever case, as people read them: without tags, whole words only.',
  examples: [{ never: ['risk free', '100 %'], in: ['subject'] }],
  properties: {
    never: {
      ...phrases,
      description: 'May be in no email, in no choice of spintax.',
      examples: [['risk free']],
    },
    always: {
      ...phrases,
      description: 'Have to be in every email, whatever choice of spintax is made.',
      examples: [['{FIRST_NAME}']],
    },
    in: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ['subject', 'body'] },
      default: ['subject', 'body'],
      description: 'Where to look. With both, words of always may be in either of the two.',
      examples: [['subject'], ['subject', 'body']],
    },
  },
};

/** Words that emails must not or must hold. */
export const words: Check = {
  key: 'words',
  schema,
  faults({ words: { never = [], always = [] } = {} }) {
    const forbidden = new Set(never.map(spelling));
    return [
      ...unseen('never', never),
      ...unseen('always', always),
      ...[...always.entries()].flatMap(([index, text]) =>
        forbidden.has(spelling(text)) ? [contradiction(index, text)] : [],
      ),
    ];
  },
  breaches({ words: wanted }, { subject, emails }) {
    if (wanted === undefined) return [];
    const parts = wanted.in ?? ['subject', 'body'];
    const never = (wanted.never ?? []).map((text) => ({ text, phrase: phraseOf(text) }));
    const always = (wanted.always ?? []).map((text) => ({ text, phrase: phraseOf(text) }));
    return emails.flatMap((email) => [
      ...parts.flatMap((part) => forbidden(subject, email, { part, phrases: never })),
      ...missing(subject, email, { parts, phrases: always }),
    ]);
  },
};

function unseen(list: 'never' | 'always', texts: readonly string[]): Fault[] {
  return [...texts.entries()].flatMap(([index, text]) => {
    if (spelling(text) !== '') return [];
    const message = `words.${list} has a phrase of which nothing can be seen.`;
    return [{ path: ['words', list, index], message, hint: 'Take it out.' }];
  });
}

function contradiction(index: number, text: string): Fault {
  const message = `words: ${quoted(text)} cannot be there never and always.`;
  return { path: ['words', 'always', index], message, hint: 'Keep it in one of the two lists.' };
}

interface Wanted {
  text: string;
  phrase: Phrase;
}

function forbidden(
  subject: LintSubject,
  email: ReadEmail,
  { part, phrases }: { part: Part; phrases: readonly Wanted[] },
): Remark[] {
  return phrases
    .filter(({ phrase }) => occurrence(phrase, email.read[part]) !== 'never')
    .map(({ text }) => ({
      message: `${email[part].label}: ${quoted(text)} must not be in it.`,
      hint: 'Write it another way.',
      place: placeOf(subject, email[part], pieceOf(email[part], text)),
    }));
}

function missing(
  subject: LintSubject,
  email: ReadEmail,
  { parts, phrases }: { parts: readonly Part[]; phrases: readonly Wanted[] },
): Remark[] {
  const [first] = parts;
  const part = parts.length > 1 ? 'body' : (first ?? 'body');
  return phrases
    .filter(({ phrase }) => !parts.some((one) => occurrence(phrase, email.read[one]) === 'always'))
    .map(({ text, phrase }) => {
      const sometimes = parts.some((one) => occurrence(phrase, email.read[one]) !== 'never');
      const label = parts.length > 1 ? email.label : email[part].label;
      return {
        message: `${label}: ${quoted(text)} is ${sometimes ? 'not in every choice of it' : 'not in it'}.`,
        hint: 'Add it.',
        place: subject.at(email[part].path),
      };
    });
}

/** The phrase as it is written in the text; the whole text where tags, references or choices are in between. */
function pieceOf({ value }: Text, phrase: string): { start: number; text: string } {
  const pattern = phrase
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+');
  const found = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu').exec(value);
  return found === null ? { start: 0, text: '' } : { start: found.index, text: found[0] };
}

function spelling(text: string): string {
  return phraseOf(text).letters.join('');
}
