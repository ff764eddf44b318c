import type { CopyNode } from '../email/copy.js';
import { nearest } from '../manifest/errors.js';
import type { Environment } from '../model/environment.js';
import { excerpt, spot, type Text } from './emails.js';
import type { CampaignRule, Flaw, ReadCampaign } from './rule.js';

type CopyFlaw = Pick<Flaw, 'hint'> & { fact: string };

function* perNode<Kind extends CopyNode['kind']>(
  { texts }: ReadCampaign,
  kinds: readonly Kind[],
  judge: (node: CopyNode & { kind: Kind }, text: Text) => CopyFlaw | null,
): Generator<Flaw> {
  const isMeant = (node: CopyNode): node is CopyNode & { kind: Kind } =>
    (kinds as readonly string[]).includes(node.kind);
  for (const text of texts) {
    const seen = new Set<string>();
    for (const node of text.nodes) {
      if (!isMeant(node) || seen.has(node.text)) continue;
      const flaw = judge(node, text);
      if (flaw === null) continue;
      seen.add(node.text);
      yield { ...spot(text, node), message: `${text.label}: ${flaw.fact}.`, hint: flaw.hint };
    }
  }
}

const USUAL = ['FIRST_NAME', 'LAST_NAME', 'COMPANY'];

export const COPY_RULES: readonly CampaignRule[] = [
  {
    code: 'undeclared-variable',
    severity: 'error',
    summary: 'A variable that the workspace does not have.',
    check(campaign, { name, custom_variables }) {
      const declared = custom_variables?.map((variable) => variable.toUpperCase());
      // If none are declared, unknown variables cannot be detected.
      if (declared === undefined) return [];
      const known = declared.length > 0 && declared.length <= 8 ? ` Declared: ${declared.join(', ')}.` : '';
      const advice = `Correct the variable, or declare it under environments.${name}.custom_variables if the workspace has it.${known}`;
      return perNode(campaign, ['variable'], (node) => {
        if (declared.includes(node.name)) return null;
        const meant = nearest(node.name, declared);
        return {
          fact: `${node.text} is not a custom variable of environment "${name}"`,
          hint: meant === null ? advice : `Did you mean {${meant}}?`,
        };
      });
    },
  },
  {
    code: 'misspelt-variable',
    severity: 'warning',
    summary:
      'A variable that looks like a misspelling of a common one, if the environment declares no variables.',
    check: (campaign, { name, custom_variables }) =>
      custom_variables !== null
        ? []
        : perNode(campaign, ['variable'], (node) => {
            const meant = USUAL.includes(node.name) ? null : nearest(node.name, USUAL);
            if (meant === null) return null;
            return {
              fact: `${node.text} looks like {${meant}}, and environment "${name}" declares no custom variables`,
              hint: `Correct the variable, or declare those of the workspace under environments.${name}.custom_variables: validate then checks all of them.`,
            };
          }),
  },
  {
    code: 'variable-case',
    severity: 'error',
    summary:
      'A variable that would be sent literally, because it has lower-case letters, punctuation, or leading or trailing spaces.',
    check: (campaign, { custom_variables: declared }) =>
      perNode(campaign, ['braces'], (node) => {
        const inner = node.text.slice(1, -1);
        if (!isNameLike(inner)) return null;
        return {
          fact: `${excerpt(node.text)} is not a variable and would be sent literally`,
          hint: `Write {${variableName(inner, declared)}}: variables are upper case, without leading or trailing spaces.`,
        };
      }),
  },
  {
    code: 'unbalanced-braces',
    severity: 'error',
    summary: 'A brace without its counterpart.',
    check: (campaign) =>
      perNode(campaign, ['stray'], (node, { nodes }) => {
        const count = nodes.filter(({ kind, text }) => kind === 'stray' && text === node.text).length;
        const wrong = node.text === '{' ? 'a "{" has no matching "}"' : 'a "}" has no matching "{"';
        return {
          fact: `${wrong}${count > 1 ? ` (${count} times)` : ''}`,
          hint: 'An unmatched brace cannot be sent. Write braces in pairs, as in {FIRST_NAME} (a variable) or {Hi|Hello} (spintax).',
        };
      }),
  },
  {
    code: 'broken-spintax',
    severity: 'error',
    summary: 'Spintax with no choices, or with a choice that cannot be meant.',
    check: (campaign, environment) =>
      perNode(campaign, ['braces', 'spintax'], (node) => spintaxFlaw(node, environment)),
  },
  {
    code: 'liquid',
    severity: 'warning',
    summary: 'Liquid tags ({{ … }} and {% … %}), which only some services understand.',
    check: (campaign, { custom_variables: declared }) =>
      perNode(campaign, ['liquid'], (node) => {
        const inner = node.text.slice(2, -2);
        const isName = node.text.startsWith('{{') && isNameLike(inner);
        const instead = isName ? `Write {${variableName(inner, declared)}}. ` : '';
        return {
          fact: `${excerpt(node.text)} is Liquid, which only some services interpret; others send it as text`,
          hint: `${instead}If your service interprets Liquid, set "liquid: off" under lint in the project file.`,
        };
      }),
  },
];

/** The first flaw of a pair of braces, except for a name in the wrong case. */
function spintaxFlaw(
  node: CopyNode & { kind: 'braces' | 'spintax' },
  { custom_variables: declared }: Environment,
): CopyFlaw | null {
  const is = (fact: string, hint: string): CopyFlaw => ({ fact: `${excerpt(node.text)} ${fact}`, hint });
  if (node.kind === 'braces') {
    const content = node.text.slice(1, -1);
    if (content.trim() === '') return is('is empty', 'Write a variable or choices, or remove the braces.');
    if (isNameLike(content)) return null;
    return is(
      'has only one choice, and the service may send the braces',
      'Put a pipe between the choices, or remove the braces.',
    );
  }
  const texts = node.choices.map((choice) =>
    choice.every(({ kind }) => kind === 'text') ? choice.map(({ text }) => text).join('') : null,
  );
  if (texts.every((text) => text?.trim() === ''))
    return is('has only empty choices', 'Write the choices, or remove the spintax.');
  if (texts.slice(1, -1).includes(''))
    return is('has an empty choice between two pipes', 'Remove one of the two pipes.');
  // Unless the environment declares it as a variable, COMPANY may be an ordinary word.
  const bare = texts
    .map((text) => text?.trim() ?? '')
    .find(
      (text) =>
        /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(text) || declared?.some((name) => name.toUpperCase() === text),
    );
  if (bare === undefined) return null;
  return is(
    `sends the word ${bare}, not the variable: the pipe makes it spintax`,
    `Give the variable its own braces: {{${bare}}|…}.`,
  );
}

const isNameLike = (text: string) => /^\s*[\p{L}\p{N}_]+(?:[\s.-]+[\p{L}\p{N}_]+){0,3}\s*$/u.test(text);

/**
 * Converts `first_name`, `First Name` or `firstName` to the declared variable with the same letters or, if there is none,
 * to upper case.
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
