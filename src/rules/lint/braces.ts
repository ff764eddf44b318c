import type { CopyNode } from '../../model/copy.js';
import { textsOf } from './email.js';
import { distinct, placeOf, quoted } from './excerpt.js';
import { isNameLike, variableName } from './name.js';
import type { CampaignRule } from './rule.js';

/** One finding per text and kind of brace, at the first of them. */
export const unbalancedBraces: CampaignRule = {
  scope: 'campaign',
  code: 'unbalanced-braces',
  severity: 'error',
  summary: 'A brace without its partner.',
  check({ subject, emails }) {
    return textsOf(emails).flatMap((text) => {
      const stray = text.nodes.filter((node) => node.kind === 'stray');
      return distinct(stray).map((node) => ({
        message: `${text.label}: ${wrong(node)}${times(stray.filter(({ text }) => text === node.text).length)}.`,
        hint: 'Braces come in pairs: {FIRST_NAME} for a variable, {Hi|Hello} for a choice. There is no way to send one as it is.',
        place: placeOf(subject, text, node),
      }));
    });
  },
};

function wrong(node: CopyNode): string {
  return node.text === '{' ? 'a "{" is never closed' : 'a "}" closes nothing';
}

function times(count: number): string {
  return count > 1 ? ` (${count} times)` : '';
}

/** Liquid is not in the interface; whoever has it switches this rule off. */
export const liquid: CampaignRule = {
  scope: 'campaign',
  code: 'liquid',
  severity: 'warning',
  summary: 'Liquid, {{ … }} or {% … %}, which only some installations understand.',
  check({ subject, emails }, environment) {
    return textsOf(emails).flatMap((text) =>
      distinct(text.nodes.filter((node) => node.kind === 'liquid')).map((node) => ({
        message: `${text.label}: ${quoted(node.text)} is Liquid, which only some installations understand; elsewhere it goes out as text.`,
        hint: `${instead(node, environment.custom_variables)}If your installation understands Liquid, set "liquid: off" under lint in the project file.`,
        place: placeOf(subject, text, node),
      })),
    );
  },
};

function instead(node: CopyNode, declared: readonly string[] | null): string {
  const inner = node.text.slice(2, -2);
  return node.text.startsWith('{{') && isNameLike(inner) ? `Write {${variableName(inner, declared)}}. ` : '';
}
