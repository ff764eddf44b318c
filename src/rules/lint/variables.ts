import { nearest } from '../../manifest/words.js';
import type { Environment } from '../../model/environment.js';
import { textsOf } from './email.js';
import { distinct, placeOf, quoted } from './excerpt.js';
import { isNameLike, variableName } from './name.js';
import type { CampaignRule } from './rule.js';

/** Silent where the environment declares no variables, since nothing is known then. */
export const undeclaredVariable: CampaignRule = {
  scope: 'campaign',
  code: 'undeclared-variable',
  severity: 'error',
  summary: 'A variable that the workspace does not have.',
  check({ subject, emails }, environment) {
    const declared = environment.custom_variables?.map((name) => name.toUpperCase());
    if (declared === undefined) return [];
    return textsOf(emails).flatMap((text) =>
      distinct(text.nodes.filter((node) => node.kind === 'variable'))
        .filter((node) => !declared.includes(node.name))
        .map((node) => ({
          message: `${text.label}: ${node.text} is not among the custom variables of environment "${environment.name}".`,
          hint: advice(nearest(node.name, declared), declared, environment),
          place: placeOf(subject, text, node),
        })),
    );
  },
};

/** Anything in single braces that reads like a name and is not written as the service wants it. */
export const variableCase: CampaignRule = {
  scope: 'campaign',
  code: 'variable-case',
  severity: 'error',
  summary:
    'A variable that is not written in upper case, or has spaces at its edges: it would go out literally.',
  check({ subject, emails }, environment) {
    return textsOf(emails).flatMap((text) =>
      distinct(text.nodes.filter((node) => node.kind === 'braces' && isNameLike(node.text.slice(1, -1)))).map(
        (node) => ({
          message: `${text.label}: ${quoted(node.text)} is no variable and would go out as it stands.`,
          hint: `Write {${variableName(node.text.slice(1, -1), environment.custom_variables)}}: variables are upper case, without spaces at the edges.`,
          place: placeOf(subject, text, node),
        }),
      ),
    );
  },
};

function advice(meant: string | null, declared: readonly string[], environment: Environment): string {
  if (meant !== null) return `Did you mean {${meant}}?`;
  const known = declared.length > 0 && declared.length <= 8 ? ` Declared are ${declared.join(', ')}.` : '';
  return `Correct it, or declare it under environments.${environment.name}.custom_variables if the workspace has it.${known}`;
}
