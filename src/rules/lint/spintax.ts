import type { CopyNode } from '../../model/copy.js';
import type { Environment } from '../../model/environment.js';
import { textsOf } from './email.js';
import { distinct, placeOf, quoted } from './excerpt.js';
import { isNameLike } from './name.js';
import type { CampaignRule } from './rule.js';

/** Says at most one thing about a pair of braces: the first that is wrong. */
export const brokenSpintax: CampaignRule = {
  scope: 'campaign',
  code: 'broken-spintax',
  severity: 'error',
  summary: 'Spintax that offers no choice, or a choice that nobody can want.',
  check({ subject, emails }, environment) {
    return textsOf(emails).flatMap((text) =>
      distinct(text.nodes).flatMap((node) => {
        const flaw = flawOf(node, environment);
        if (flaw === null) return [];
        return {
          message: `${text.label}: ${quoted(node.text)} ${flaw.fact}.`,
          hint: flaw.hint,
          place: placeOf(subject, text, node),
        };
      }),
    );
  },
};

/** "Or nothing" is a choice that people mean now and then, so it is a warning of its own; a blank says it on purpose. */
export const emptyChoice: CampaignRule = {
  scope: 'campaign',
  code: 'empty-choice',
  severity: 'warning',
  summary: 'Spintax that begins or ends with a pipe: some recipients get nothing in its place.',
  check({ subject, emails }, environment) {
    return textsOf(emails).flatMap((text) =>
      distinct(text.nodes)
        .filter((node) => hasEmptyChoice(node) && flawOf(node, environment) === null)
        .map((node) => ({
          message: `${text.label}: ${quoted(node.text)} has an empty choice: some recipients get nothing in its place.`,
          hint: 'Take the pipe away, or write a blank between pipe and brace if nothing is one of the choices.',
          place: placeOf(subject, text, node),
        })),
    );
  },
};

interface Flaw {
  fact: string;
  hint: string;
}

function flawOf(node: CopyNode, environment: Environment): Flaw | null {
  if (node.kind === 'braces') return flawOfBraces(node.text.slice(1, -1));
  if (node.kind !== 'spintax') return null;
  if (node.choices.every(isBlank)) {
    return { fact: 'offers nothing but empty choices', hint: 'Write the choices, or take it away.' };
  }
  if (node.choices.slice(1, -1).some((choice) => choice.length === 0)) {
    return { fact: 'has an empty choice between two pipes', hint: 'Take one of the pipes away.' };
  }
  const bare = node.choices.map(bareText).find((choice) => isVariable(choice, environment));
  if (bare === undefined) return null;
  return {
    fact: `offers the word ${bare}, not the variable: a pipe makes it spintax`,
    hint: `Give the variable braces of its own: {{${bare}}|…}.`,
  };
}

function flawOfBraces(content: string): Flaw | null {
  if (content.trim() === '')
    return { fact: 'is empty', hint: 'Write a variable or choices, or take it away.' };
  if (isNameLike(content)) return null;
  return {
    fact: 'offers only one choice: nothing is chosen, and the braces may go out too',
    hint: 'Put a pipe between the choices, or take the braces away.',
  };
}

function hasEmptyChoice(node: CopyNode): boolean {
  return node.kind === 'spintax' && node.choices.some((choice) => choice.length === 0);
}

function isBlank(choice: readonly CopyNode[]): boolean {
  return choice.every((node) => node.kind === 'text' && node.text.trim() === '');
}

/** The text of a choice that is nothing but text, else empty. */
function bareText(choice: readonly CopyNode[]): string {
  return choice.every((node) => node.kind === 'text')
    ? choice
        .map((node) => node.text)
        .join('')
        .trim()
    : '';
}

/** `FIRST_NAME` is never meant as a word; `COMPANY` may be, unless the environment declares it. */
function isVariable(text: string, environment: Environment): boolean {
  const declared = environment.custom_variables?.some((name) => name.toUpperCase() === text) ?? false;
  return text !== '' && (declared || /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(text));
}
