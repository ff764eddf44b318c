import { nearest } from '../manifest/words.js';
import type { CopyNode } from '../model/copy.js';
import type { Environment } from '../model/environment.js';
import { excerpt, placeIn, type Text } from './emails.js';
import type { CampaignRule, ReadCampaign, Remark } from './rule.js';

/** What is said of a piece of copy: behind its label, and what to do. */
interface Flaw {
  fact: string;
  hint: string;
}

/** One remark for each text and spelling of a node of these kinds with a flaw, at the first of them. */
function perNode<Kind extends CopyNode['kind']>(
  campaign: ReadCampaign,
  kinds: readonly Kind[],
  flawOf: (node: CopyNode & { kind: Kind }, text: Text) => Flaw | null,
): Remark[] {
  const isMeant = (node: CopyNode): node is CopyNode & { kind: Kind } =>
    (kinds as readonly string[]).includes(node.kind);
  return campaign.texts.flatMap((text) => {
    const nodes = text.nodes.filter(isMeant);
    // Most texts have none of a kind: nothing is to be made for them.
    if (nodes.length === 0) return [];
    const seen = new Set<string>();
    return nodes.flatMap((node): Remark[] => {
      const flaw = seen.has(node.text) ? null : flawOf(node, text);
      if (flaw === null) return [];
      seen.add(node.text);
      const message = `${text.label}: ${flaw.fact}.`;
      return [{ message, hint: flaw.hint, place: placeIn(campaign, text, node) }];
    });
  });
}

/** Silent where the environment declares no variables, since nothing is known then. */
const undeclaredVariable: CampaignRule = {
  code: 'undeclared-variable',
  severity: 'error',
  summary: 'A variable that the workspace does not have.',
  check(campaign, { name, custom_variables }) {
    const declared = custom_variables?.map((variable) => variable.toUpperCase());
    if (declared === undefined) return [];
    const known = declared.length > 0 && declared.length <= 8 ? ` Declared are ${declared.join(', ')}.` : '';
    const advice = `Correct it, or declare it under environments.${name}.custom_variables if the workspace has it.${known}`;
    return perNode(campaign, ['variable'], (node) => {
      if (declared.includes(node.name)) return null;
      const meant = nearest(node.name, declared);
      return {
        fact: `${node.text} is not among the custom variables of environment "${name}"`,
        hint: meant === null ? advice : `Did you mean {${meant}}?`,
      };
    });
  },
};

/** Anything in single braces that reads like a name and is not written as the service wants it. */
const variableCase: CampaignRule = {
  code: 'variable-case',
  severity: 'error',
  summary:
    'A variable that is not written in upper case, or has spaces at its edges: it would go out literally.',
  check: (campaign, { custom_variables: declared }) =>
    perNode(campaign, ['braces'], (node) => {
      const inner = node.text.slice(1, -1);
      if (!NAME_LIKE.test(inner)) return null;
      return {
        fact: `${excerpt(node.text)} is not a variable and would be sent literally`,
        hint: `Write {${variableName(inner, declared)}}: variables are upper case, without spaces at the edges.`,
      };
    }),
};

/** One finding per text and kind of brace. */
const unbalancedBraces: CampaignRule = {
  code: 'unbalanced-braces',
  severity: 'error',
  summary: 'A brace without its partner.',
  check: (campaign) =>
    perNode(campaign, ['stray'], (node, { nodes }) => {
      const count = nodes.filter(({ kind, text }) => kind === 'stray' && text === node.text).length;
      const wrong = node.text === '{' ? 'a "{" is never closed' : 'a "}" closes nothing';
      return {
        fact: `${wrong}${count > 1 ? ` (${count} times)` : ''}`,
        hint: 'Braces come in pairs: {FIRST_NAME} for a variable, {Hi|Hello} for a choice. There is no way to send one as it is.',
      };
    }),
};

/** Says at most one thing about a pair of braces: the first that is wrong. */
const brokenSpintax: CampaignRule = {
  code: 'broken-spintax',
  severity: 'error',
  summary: 'Spintax that offers no choice, or a choice that makes no sense.',
  check: (campaign, environment) =>
    perNode(campaign, ['braces', 'spintax'], (node) => {
      const flaw = spintaxFlaw(node, environment);
      return flaw === null ? null : { ...flaw, fact: `${excerpt(node.text)} ${flaw.fact}` };
    }),
};

/** "Or nothing" is a choice that people mean now and then, so it is a warning of its own; a blank says it on purpose. */
const emptyChoice: CampaignRule = {
  code: 'empty-choice',
  severity: 'warning',
  summary: 'Spintax that begins or ends with a pipe: some recipients get nothing in its place.',
  check: (campaign, environment) =>
    perNode(campaign, ['spintax'], (node) => {
      const isEmpty = node.choices.some((choice) => choice.length === 0);
      if (!isEmpty || spintaxFlaw(node, environment) !== null) return null;
      return {
        fact: `${excerpt(node.text)} has an empty choice: some recipients get nothing in its place`,
        hint: 'Take the pipe away, or write a blank between pipe and brace if nothing is one of the choices.',
      };
    }),
};

/** The API does not mention Liquid; an installation that has it switches this rule off. */
const liquid: CampaignRule = {
  code: 'liquid',
  severity: 'warning',
  summary: 'Liquid, {{ … }} or {% … %}, which only some installations understand.',
  check: (campaign, { custom_variables: declared }) =>
    perNode(campaign, ['liquid'], (node) => {
      const inner = node.text.slice(2, -2);
      const isName = node.text.startsWith('{{') && NAME_LIKE.test(inner);
      const instead = isName ? `Write {${variableName(inner, declared)}}. ` : '';
      return {
        fact: `${excerpt(node.text)} is Liquid, which only some installations understand; elsewhere it goes out as text`,
        hint: `${instead}If your installation understands Liquid, set "liquid: off" under lint in the project file.`,
      };
    }),
};

/** The rules of this file, in the order of `docs/rules.md`. */
export const COPY_RULES = [
  undeclaredVariable,
  variableCase,
  unbalancedBraces,
  brokenSpintax,
  emptyChoice,
  liquid,
];

function spintaxFlaw(node: CopyNode, environment: Environment): Flaw | null {
  if (node.kind === 'braces') return bracesFlaw(node.text.slice(1, -1));
  if (node.kind !== 'spintax') return null;
  if (node.choices.every((choice) => choice.every(isBlank))) {
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

function bracesFlaw(content: string): Flaw | null {
  if (content.trim() === '')
    return { fact: 'is empty', hint: 'Write a variable or choices, or take it away.' };
  if (NAME_LIKE.test(content)) return null;
  return {
    fact: 'offers only one choice: nothing is chosen, and the braces may go out too',
    hint: 'Put a pipe between the choices, or take the braces away.',
  };
}

function isBlank(node: CopyNode): boolean {
  return node.kind === 'text' && node.text.trim() === '';
}

/** The text of a choice that is nothing but text, else empty. */
function bareText(choice: readonly CopyNode[]): string {
  const isText = choice.every(({ kind }) => kind === 'text');
  return isText
    ? choice
        .map(({ text }) => text)
        .join('')
        .trim()
    : '';
}

/** `FIRST_NAME` is never meant as a word; `COMPANY` may be, unless the environment declares it. */
function isVariable(text: string, { custom_variables: known }: Environment): boolean {
  const isDeclared = known?.some((name) => name.toUpperCase() === text) ?? false;
  return text !== '' && (isDeclared || /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(text));
}

/** Up to four words that might be the name of a variable, however it is written. */
const NAME_LIKE = /^\s*[\p{L}\p{N}_]+(?:[\s.-]+[\p{L}\p{N}_]+){0,3}\s*$/u;

/**
 * The name of the variable that is meant by `first_name`, `First Name`, `firstName` or ` FIRST_NAME `: a declared one
 * with the same letters, else the text in upper case.
 */
function variableName(text: string, declared: readonly string[] | null): string {
  const same = declared?.find((name) => letters(name) === letters(text));
  if (same !== undefined) return same.toUpperCase();
  const parted = text.trim().replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return parted.replace(/\s+/g, ' ').replace(/[.-]+/g, '_').toUpperCase();
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}
