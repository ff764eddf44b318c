import { type CopyNode, parseCopy } from '../email/copy.js';
import { prefixOf, repeatHint, withoutPrefix } from '../manifest/reply-subject.js';
import { property } from '../model/json.js';
import { count } from '../model/words.js';
import { breach, inWords, reversed } from './bounds.js';
import type { CampaignRule, PolicyKind } from './rule.js';

export const SEQUENCE_RULES: readonly CampaignRule[] = [
  {
    code: 'reply-subject-prefix',
    severity: 'error',
    summary: 'A thread reply whose subject starts with "Re:", which the service adds, or a similar prefix.',
    *check({ emails }) {
      for (const email of emails) {
        const { isReply, subject } = email;
        const prefix = isReply ? prefixOf(subject.value) : null;
        if (prefix === null) continue;
        const answered = emails.findLast(
          ({ step, subject: { value } }) => step < email.step && withoutPrefix(value) !== '',
        );
        const rest = withoutPrefix(subject.value);
        yield {
          path: subject.path,
          text: prefix.text,
          message: `${subject.label}: the service adds "Re: " to thread replies, so recipients would see "Re: ${subject.value.trim()}".`,
          hint:
            rest !== ''
              ? `Write "${rest}".`
              : answered === undefined
                ? 'Write the subject without the prefix.'
                : repeatHint(answered.step, withoutPrefix(answered.subject.value)),
        };
      }
    },
  },
  {
    code: 'fake-reply',
    severity: 'warning',
    summary: 'A subject that starts with "Re:" or "Fwd:", although the email starts a new thread.',
    *check({ emails }) {
      for (const { isReply, isVariant, step, subject } of emails) {
        const prefix = isReply ? null : prefixOf(subject.value);
        if (prefix === null) continue;
        const rest = withoutPrefix(subject.value);
        const without = rest === '' ? 'Write the subject without the prefix.' : `Write "${rest}".`;
        const isMeant = step > 0 && !isVariant && prefix.isReply;
        yield {
          path: subject.path,
          text: prefix.text,
          message: `${subject.label}: the email is not a reply, but "${prefix.text}" says that it answers or forwards one.`,
          hint: isMeant
            ? `${without} If the email is to continue the thread, add thread_reply: true.`
            : without,
        };
      }
    },
  },
  {
    code: 'reply-first-step',
    severity: 'error',
    summary: 'The first step is sent as a thread reply, with nothing to reply to.',
    *check({ emails }) {
      for (const { label, path, step, written } of emails) {
        if (step !== 0 || written.thread_reply !== true) continue;
        yield {
          path: [...path, 'thread_reply'],
          message: `${label}: the first email of a sequence cannot be a thread reply, because there is no earlier email.`,
          hint: 'Remove thread_reply, or move the step after the email that it replies to.',
        };
      }
    },
  },
  {
    code: 'wait-too-short',
    severity: 'error',
    summary: 'A wait of less than one day.',
    // The service would refuse the sequence or send both steps at the same time.
    *check({ emails }) {
      for (const { label, path, written } of emails) {
        const { wait_in_days: days = 1 } = written;
        if (days >= 1) continue;
        yield {
          path: [...path, 'wait_in_days'],
          message: `${label}: wait_in_days is ${days}; the service requires at least 1, even on the last step.`,
          hint: 'Write 1 or more.',
        };
      }
    },
  },
];

const positive = { type: 'integer', minimum: 1 };

export const stepsPolicy: PolicyKind<'steps'> = {
  key: 'steps',
  schema: {
    title: 'StepsPolicy',
    description: 'The number of steps in a sequence, and the days between them.',
    examples: [{ least: 2, most: 5, shortest_wait: 2 }],
    properties: {
      least: property(positive, 'Minimum number of steps; variants do not count.', 2),
      most: property(positive, 'Maximum number of steps; variants do not count.', 5),
      shortest_wait: property(positive, 'Minimum number of days between steps.', 2),
      longest_wait: property(positive, 'Maximum number of days between steps.', 14),
    },
  },
  faults: ({ least, most, shortest_wait, longest_wait }) => [
    ...reversed({ min: least, max: most }, ['steps', 'most']),
    ...reversed({ min: shortest_wait, max: longest_wait }, ['steps', 'longest_wait']),
  ],
  *check(wanted, { spec: { sequence }, emails }, missing) {
    if (sequence === undefined) return yield* missing(['sequence'], 'Write the emails under sequence.');
    const { length } = sequence.steps;
    const { least: min, most: max } = wanted;
    const path = ['sequence', 'steps'];
    const wrong = breach(length, { min, max });
    if (wrong !== null)
      yield {
        path: max !== undefined && length > max ? [...path, max] : path,
        target: 'key',
        message: `the number of steps is ${length}, ${wrong}.`,
        hint: `Write ${inWords({ min, max })}.`,
      };
    const wait = { min: wanted.shortest_wait, max: wanted.longest_wait };
    for (const { label, path, step, written } of emails) {
      const { wait_in_days: days } = written;
      if (days === undefined || step === length - 1) continue;
      const far = breach(days, wait);
      if (far === null) continue;
      yield {
        path: [...path, 'wait_in_days'],
        message: `${label}: the wait before the next step is ${count(days, 'day')}, ${far}.`,
        hint: `Write ${inWords(wait)}.`,
      };
    }
  },
};

export const subjectPolicy: PolicyKind<'subject'> = {
  key: 'subject',
  schema: {
    title: 'SubjectPolicy',
    required: ['longest'],
    description: 'Subjects of all emails.',
    examples: [{ longest: 60 }],
    properties: {
      longest: property(
        positive,
        'Maximum length of a subject in characters, with its longest spintax choices; variables count as written.',
        60,
      ),
    },
  },
  *check({ longest }, { emails }) {
    for (const { subject } of emails) {
      const length = longestReading(parseCopy(subject.value));
      if (length <= longest) continue;
      yield {
        path: subject.path,
        message: `${subject.label}: the subject has up to ${length} characters, more than ${longest}.`,
        hint: `Write at most ${longest} characters.`,
      };
    }
  },
};

function longestReading(nodes: readonly CopyNode[]): number {
  return nodes.reduce((sum, node) => {
    if (node.kind !== 'spintax') return sum + [...node.text].length;
    return sum + node.choices.reduce((most, choice) => Math.max(most, longestReading(choice)), 0);
  }, 0);
}
