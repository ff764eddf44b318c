import { type CopyNode, parseCopy } from '../model/copy.js';
import type { Email } from './emails.js';
import type { PolicyConfig } from './policies.generated.js';
import { type CampaignRule, policyKind, type ReadCampaign, type Remark, reversed } from './rule.js';

const REPLY_PREFIX = /^\s*(re(?:\[\d+\])?\s*:)\s*/i;

/** Also catches what the service itself put there, copied into a manifest. */
const replySubjectPrefix: CampaignRule = {
  code: 'reply-subject-prefix',
  severity: 'error',
  summary: 'A thread reply whose subject starts with "Re:", which the service adds itself.',
  check({ at, emails }) {
    return emails
      .filter((email) => email.reply)
      .flatMap((email) => {
        const prefix = REPLY_PREFIX.exec(email.subject.value)?.[1];
        if (prefix === undefined) return [];
        const rest = email.subject.value.replace(REPLY_PREFIX, '');
        return {
          message: `${email.subject.label}: it is sent as a thread reply, and the service puts "Re: " in front itself: recipients would read "Re: ${email.subject.value.trim()}".`,
          hint: rest === '' ? 'Write the subject without it.' : `Write "${rest}".`,
          place: at(email.subject.path, { text: prefix }),
        };
      });
  },
};

/** There is no thread yet that the first email could reply to. */
const replyFirstStep: CampaignRule = {
  code: 'reply-first-step',
  severity: 'error',
  summary: 'The first step is sent as a thread reply, with nothing to reply to.',
  check({ at, emails }) {
    return emails
      .filter((email) => email.step === 0 && email.written.thread_reply === true)
      .map((email) => ({
        message: `${email.label}: the first email of a sequence cannot be a thread reply, since nothing was sent before it.`,
        hint: 'Remove thread_reply here, or move the step behind the email it replies to.',
        place: at([...email.path, 'thread_reply']),
      }));
  },
};

/** The service refuses the whole sequence, or mails the steps at once. */
const waitTooShort: CampaignRule = {
  code: 'wait-too-short',
  severity: 'error',
  summary: 'A wait of less than one day.',
  check({ at, emails }) {
    return emails.flatMap((email) => {
      const days = email.written.wait_in_days;
      if (days === undefined || days >= 1) return [];
      return {
        message: `${email.label}: wait_in_days is ${days}; the service wants at least 1, on the last step too.`,
        hint: 'Write 1 or more.',
        place: at([...email.path, 'wait_in_days']),
      };
    });
  },
};

/** The rules of this file, in the order of `docs/rules.md`. */
export const SEQUENCE_RULES = [replySubjectPrefix, replyFirstStep, waitTooShort];

const count = { type: 'integer', minimum: 1 };

/** Number of steps and the days between them; the wait of the last step comes before nothing. */
export const stepsPolicy = policyKind({
  key: 'steps',
  schema: {
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
  },
  faults: ({ least, most, shortest_wait, longest_wait }) => [
    ...reversed(least, most, ['steps', 'most']),
    ...reversed(shortest_wait, longest_wait, ['steps', 'longest_wait']),
  ],
  check(wanted, { spec: { sequence }, at, emails }, { missing }) {
    if (sequence === undefined) return missing(['sequence'], 'Write the emails down under sequence.');
    const { length } = sequence.steps;
    const waits = emails.filter(({ step }) => step < length - 1);
    return [...stepCount(length, wanted, at), ...waits.flatMap((email) => wait(email, wanted, at))];
  },
});

type StepsPolicy = NonNullable<PolicyConfig['steps']>;

function stepCount(length: number, { least, most }: StepsPolicy, at: ReadCampaign['at']): Remark[] {
  const found = `the sequence has ${length} ${length === 1 ? 'step' : 'steps'}`;
  if (least !== undefined && length < least) {
    const place = at(['sequence', 'steps'], { target: 'key' });
    return [{ message: `${found}, fewer than ${least}.`, hint: `Write ${least} or more.`, place }];
  }
  if (most === undefined || length <= most) return [];
  const place = at(['sequence', 'steps', most]);
  return [{ message: `${found}, more than ${most}.`, hint: `Keep ${most} or fewer.`, place }];
}

function wait(
  { label, path, written: { wait_in_days: days } }: Email,
  { shortest_wait: shortest, longest_wait: longest }: StepsPolicy,
  at: ReadCampaign['at'],
): Remark[] {
  const remark = (wrong: string, hint: string): Remark[] => [
    {
      message: `${label}: the next step follows after ${days} ${days === 1 ? 'day' : 'days'}, ${wrong}.`,
      hint,
      place: at([...path, 'wait_in_days']),
    },
  ];
  if (days !== undefined && shortest !== undefined && days < shortest)
    return remark(`less than ${shortest}`, `Wait ${shortest} days or more.`);
  if (days !== undefined && longest !== undefined && days > longest)
    return remark(`more than ${longest}`, `Wait ${longest} days or less.`);
  return [];
}

/** How long subjects may be. What a variable comes to is not known: it counts as it is written. */
export const subjectPolicy = policyKind({
  key: 'subject',
  schema: {
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
  },
  check: ({ longest }, { at, emails }) =>
    emails.flatMap(({ subject: { label, path, value } }) => {
      const length = longestReading(parseCopy(value));
      if (length <= longest) return [];
      const message = `${label}: the subject has up to ${length} characters, more than ${longest}.`;
      return [{ message, hint: `Write ${longest} characters or less.`, place: at(path) }];
    }),
});

function longestReading(nodes: readonly CopyNode[]): number {
  return nodes.reduce((sum, node) => {
    if (node.kind !== 'spintax') return sum + [...node.text].length;
    return sum + node.choices.reduce((most, one) => Math.max(most, longestReading(one)), 0);
  }, 0);
}
