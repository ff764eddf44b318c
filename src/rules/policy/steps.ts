import type { LintSubject } from '../../manifest/resolve.js';
import type { JsonObject } from '../../model/json.js';
import type { Remark } from '../lint/rule.js';
import { type Check, notWritten, reversed } from './check.js';
import type { PolicyConfig } from './config.generated.js';

type Wanted = NonNullable<PolicyConfig['steps']>;

const count = { type: 'integer', minimum: 1 };

const schema: JsonObject = {
  title: 'StepsPolicy',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'How many steps a sequence has, and how far apart they are.',
  examples: [{ least: 2, most: 5, shortest_wait: 2 }],
  properties: {
    least: { ...count, description: 'Fewest steps; variants do not count.', examples: [2] },
    most: { ...count, description: 'Most steps.', examples: [5] },
    shortest_wait: { ...count, description: 'Fewest days from one step to the next.', examples: [2] },
    longest_wait: { ...count, description: 'Most days from one step to the next.', examples: [14] },
  },
};

/** Number of steps and the days between them; the wait of the last step comes before nothing. */
export const steps: Check = {
  key: 'steps',
  schema,
  faults: ({ steps: { least, most, shortest_wait, longest_wait } = {} }) => [
    ...reversed(least, most, ['steps', 'most']),
    ...reversed(shortest_wait, longest_wait, ['steps', 'longest_wait']),
  ],
  breaches({ steps: wanted, optional = false }, { subject, emails }) {
    if (wanted === undefined) return [];
    const { sequence } = subject.spec;
    if (sequence === undefined)
      return optional ? [] : [notWritten(subject, ['sequence'], 'Write the emails down under sequence.')];
    const { length } = sequence.steps;
    const waits = emails
      .filter(({ step }) => step < length - 1)
      .flatMap(({ label, path, written }) =>
        waitBreach(subject, { label, path: [...path, 'wait_in_days'], days: written.wait_in_days }, wanted),
      );
    return [...numberBreach(subject, length, wanted), ...waits];
  },
};

function numberBreach(subject: LintSubject, length: number, { least, most }: Wanted): Remark[] {
  const found = `the sequence has ${length} ${length === 1 ? 'step' : 'steps'}`;
  if (least !== undefined && length < least) {
    const place = subject.at(['sequence', 'steps'], { target: 'key' });
    return [{ message: `${found}, fewer than ${least}.`, hint: `Write ${least} or more.`, place }];
  }
  if (most === undefined || length <= most) return [];
  const place = subject.at(['sequence', 'steps', most]);
  return [{ message: `${found}, more than ${most}.`, hint: `Keep ${most} or fewer.`, place }];
}

function waitBreach(
  subject: LintSubject,
  { label, path, days }: { label: string; path: (string | number)[]; days: number | undefined },
  { shortest_wait: shortest, longest_wait: longest }: Wanted,
): Remark[] {
  const said = `${label}: the next step follows after ${days} ${days === 1 ? 'day' : 'days'}`;
  const place = () => subject.at(path);
  if (days !== undefined && shortest !== undefined && days < shortest)
    return [
      { message: `${said}, less than ${shortest}.`, hint: `Wait ${shortest} days or more.`, place: place() },
    ];
  if (days !== undefined && longest !== undefined && days > longest)
    return [
      { message: `${said}, more than ${longest}.`, hint: `Wait ${longest} days or less.`, place: place() },
    ];
  return [];
}
