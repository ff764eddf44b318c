import type { CopyNode } from '../email/copy.js';
import { insertingHint, valueMeantBy } from '../manifest/expressions.js';
import { lookAlikes, withoutHidden } from '../model/characters.js';
import { BUILT_IN_VARIABLES, type Environment } from '../model/environment.js';
import { usualVariable } from '../model/variable-words.js';
import { excerpt, overlaps, spot, type Text } from './emails.js';
import { hiddenNames } from './invisible.js';
import type { CampaignRule, Flaw, ParsedCampaign } from './rule.js';
import {
  isKnownVariable,
  isNameLike,
  isNoVariable,
  isUnsubscribe,
  isVariableChoice,
  knownVariables,
  meantVariable,
  replacementHint,
  undeclaredHint,
  variableName,
} from './variables.js';

type CopyFlaw = Pick<Flaw, 'hint'> & { fact: string };

/** Leaves out parts of placeholders, which have a rule of their own. */
function* perNode<Kind extends CopyNode['kind']>(
  { texts, valuesAt }: ParsedCampaign,
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
      if (flaw === null || text.placeholders().some((other) => overlaps(other, node))) continue;
      seen.add(node.text);
      const value = valueMeantBy(node.text, valuesAt(text.path));
      const hint = value === null ? flaw.hint : insertingHint(value);
      yield { ...spot(text, node), message: `${text.label}: ${flaw.fact}.`, hint };
    }
  }
}

export const COPY_RULES: readonly CampaignRule[] = [
  {
    code: 'undeclared-variable',
    severity: 'error',
    summary: 'A variable that the workspace does not have.',
    check(campaign, environment) {
      return perNode(campaign, ['variable'], (node) => {
        if (isKnownVariable(node.name, environment)) return null;
        if (isUnsubscribe(node.name))
          return {
            fact: `${node.text} is not a variable, and would be sent literally`,
            hint: replacementHint(node.name, environment),
          };
        // If none are declared, other unknown variables cannot be detected.
        if (environment.custom_variables === null) return null;
        const meant = meantVariable(node.name, environment);
        return {
          fact: `${node.text}${lookAlikes(node.text)} is not a variable of environment "${environment.name}"`,
          hint: meant === null ? declaringHint(node.name, environment) : `Did you mean {${meant}}?`,
        };
      });
    },
  },
  {
    code: 'misspelt-variable',
    severity: 'warning',
    summary:
      'A variable that looks like a misspelling of a common one, if the environment declares no variables.',
    check(campaign, environment) {
      if (environment.custom_variables !== null) return [];
      const { name, service } = environment;
      const usual = { ...environment, service: { ...service, built_in_variables: BUILT_IN_VARIABLES } };
      return perNode(campaign, ['variable'], (node) => {
        if (isKnownVariable(node.name, environment)) return null;
        const meant = meantVariable(node.name, usual);
        if (meant === null) return null;
        return {
          fact: `${node.text} looks like {${meant}}, and environment "${name}" declares no custom variables`,
          hint: `Correct the variable, or declare those of the workspace under environments.${name}.custom_variables: validate then checks all of them.`,
        };
      });
    },
  },
  {
    code: 'variable-case',
    severity: 'error',
    summary:
      'A variable that would be sent literally, because it has lower-case letters, punctuation, or leading or trailing spaces.',
    check: (campaign, environment) =>
      perNode(campaign, ['braces'], (node) => {
        if (!isNoVariable(node, environment)) return null;
        const hidden = hiddenNames(node.text);
        const why = hidden === '' ? 'is not a variable' : `contains ${hidden}, so it is not a variable`;
        return {
          fact: `${excerpt(node.text)}${lookAlikes(node.text)} ${why} and would be sent literally`,
          hint: nameHint(node.text.slice(1, -1), environment),
        };
      }),
  },
  {
    code: 'foreign-placeholder',
    severity: 'warning',
    summary: 'A placeholder of another tool, or one that a template left open.',
    *check({ texts, valuesAt }) {
      for (const text of texts) {
        const seen = new Set<string>();
        for (const placeholder of text.placeholders()) {
          if (seen.has(placeholder.text)) continue;
          seen.add(placeholder.text);
          const value = valueMeantBy(placeholder.text, valuesAt(text.path));
          yield {
            ...spot(text, placeholder),
            message: `${text.label}: ${excerpt(placeholder.text)} is ${placeholder.kind}.`,
            hint: value === null ? placeholder.hint : insertingHint(value),
          };
        }
      }
    },
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
    check: (campaign, environment) =>
      perNode(campaign, ['liquid'], (node) => {
        const inner = node.text.slice(2, -2);
        const isName = node.text.startsWith('{{') && isNameLike(inner);
        const hasDefault = /^\{\{[^|]*\|\s*default\b/.test(node.text);
        const instead = hasDefault || isName ? `${replacementHint(inner, environment)} ` : '';
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
  environment: Environment,
): CopyFlaw | null {
  const is = (fact: string, hint: string): CopyFlaw => ({ fact: `${excerpt(node.text)} ${fact}`, hint });
  if (node.kind === 'braces') {
    const content = node.text.slice(1, -1);
    if (content.trim() === '') return is('is empty', 'Write a variable or choices, or remove the braces.');
    if (isNameLike(content) || isKnownVariable(content, environment)) return null;
    const [, name] = /^([\p{L}\p{N}_]{1,60}) ?[:,?]/u.exec(content.trim()) ?? [];
    if (name !== undefined && isVariableChoice(name, ['there'], environment))
      return is('is not a variable and would be sent literally', replacementHint(`${name}|`, environment));
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
  const words = texts.map((text) => text?.trim() ?? '');
  const bare = words.find((text) => isVariableChoice(text, words, environment));
  if (bare === undefined) return null;
  const name = variableName(bare, environment);
  return is(
    `sends the word ${bare}, not the variable: the pipe makes it spintax`,
    name === null
      ? undeclaredHint(bare, environment)
      : `Write {${name}}: variables have no fallback. For a choice at random, give it its own braces: {{${name}}|…}.`,
  );
}

function nameHint(text: string, environment: Environment): string {
  if (isUnsubscribe(text)) return replacementHint(text, environment);
  const name = variableName(text, environment);
  const isPlain = text === withoutHidden(text.trim().normalize('NFKC')).toUpperCase();
  const declaring = `add ${text} to environments.${environment.name}.custom_variables`;
  if (name === text || (name === null && isPlain && usualVariable(text) === null))
    return `If the workspace has this variable, ${declaring}. Otherwise, write the text itself.`;
  if (name === null) return undeclaredHint(text, environment);
  if (isPlain) return `Write {${name}}. If the workspace has a variable of exactly this name, ${declaring}.`;
  return knownVariables(environment).includes(name) || usualVariable(text) !== null
    ? `Write {${name}}: variables are upper case, without leading or trailing spaces.`
    : `Write {${name}} if the workspace has this variable, or the text itself.`;
}

function declaringHint(name: string, environment: Environment): string {
  if (usualVariable(name) !== null) return undeclaredHint(name, environment);
  const known = knownVariables(environment);
  const list = known.length > 0 && known.length <= 8 ? ` Known: ${known.join(', ')}.` : '';
  return `Correct the variable, or declare it under environments.${environment.name}.custom_variables if the workspace has it.${list}`;
}
