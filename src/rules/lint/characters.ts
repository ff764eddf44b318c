import { type Text, textsOf } from './email.js';
import { placeOf } from './excerpt.js';
import type { CampaignRule, LintCampaign } from './rule.js';

/** Controls but tab and line ends, soft hyphen, zero-width and bidi characters, the byte order mark, half characters. */
const INVISIBLE =
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Joiners that belong: inside an emoji, and between letters of scripts that need them (not Latin, Greek, Cyrillic). */
const JOINERS = [
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu,
  /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}][\u200c\u200d](?=[\p{L}\p{M}])/gu,
];

const NAMES: Record<string, string> = {
  '\u0000': 'NUL',
  '\u00ad': 'soft hyphen',
  '\u061c': 'Arabic letter mark',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'end of bidi formatting',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'end of bidi isolate',
  '\ufeff': 'byte order mark',
};

/** One finding per text, at the first such character, naming each of them once. */
export const invisibleCharacters: CampaignRule = {
  scope: 'campaign',
  code: 'invisible-characters',
  severity: 'warning',
  summary: 'Characters that nobody sees: zero-width, bidi and control characters.',
  check(campaign) {
    return visibleTexts(campaign).flatMap((text) => {
      const found = [...hideJoiners(text.value).matchAll(INVISIBLE)];
      const [first] = found;
      if (first === undefined) return [];
      const names = new Set(found.map(([character]) => codePoint(character)));
      return {
        message: `${text.label} holds what nobody can see: ${[...names].join(', ')}.`,
        hint: 'Delete them: such characters come in by copy and paste, and spam filters look for them.',
        place: placeOf(campaign.subject, text, { start: first.index, text: first[0] }),
      };
    });
  },
};

function visibleTexts({ subject, emails }: LintCampaign): Omit<Text, 'nodes'>[] {
  const { name, settings, sequence } = subject.spec;
  const others = [
    { label: 'name', path: ['name'], value: name },
    {
      label: 'unsubscribe_text',
      path: ['settings', 'unsubscribe_text'],
      value: settings?.unsubscribe_text ?? '',
    },
    { label: 'sequence title', path: ['sequence', 'title'], value: sequence?.title ?? '' },
  ];
  return [...others, ...textsOf(emails)];
}

function hideJoiners(text: string): string {
  return JOINERS.reduce((rest, joiner) => rest.replace(joiner, (match) => '-'.repeat(match.length)), text);
}

function codePoint(character: string): string {
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return NAMES[character] === undefined ? code : `${code} ${NAMES[character]}`;
}
