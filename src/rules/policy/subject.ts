import { type CopyNode, parseCopy } from '../../model/copy.js';
import type { JsonObject } from '../../model/json.js';
import type { Check } from './check.js';

const schema: JsonObject = {
  title: 'SubjectPolicy',
  type: 'object',
  additionalProperties: false,
  required: ['longest'],
  description: 'Subjects of all emails.',
  examples: [{ longest: 60 }],
  properties: {
    longest: {
      type: 'integer',
      minimum: 1,
      description: 'Most characters of a subject, with the longest choices, variables as they are written.',
      examples: [60],
    },
  },
};

/** How long subjects may be. What a variable comes to is not known: it counts as it is written. */
export const subject: Check = {
  key: 'subject',
  schema,
  faults: () => [],
  breaches({ subject: { longest } = { longest: Number.POSITIVE_INFINITY } }, { subject: campaign, emails }) {
    return emails.flatMap(({ subject: text }) => {
      const length = lengthOf(parseCopy(text.value));
      if (length <= longest) return [];
      const message = `${text.label}: the subject has up to ${length} characters, more than ${longest}.`;
      return [{ message, hint: `Write ${longest} characters or less.`, place: campaign.at(text.path) }];
    });
  },
};

/** Characters of the longest reading. */
function lengthOf(nodes: readonly CopyNode[]): number {
  return nodes.reduce((sum, node) => {
    if (node.kind === 'spintax')
      return sum + node.choices.reduce((most, one) => Math.max(most, lengthOf(one)), 0);
    return sum + [...node.text].length;
  }, 0);
}
