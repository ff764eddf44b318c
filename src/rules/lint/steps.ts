import type { Email } from './email.js';
import type { CampaignRule } from './rule.js';

const REPLY_PREFIX = /^\s*(re(?:\[\d+\])?\s*:)\s*/i;

/** Also catches what the service itself put there, copied into a manifest. */
export const replySubjectPrefix: CampaignRule = {
  scope: 'campaign',
  code: 'reply-subject-prefix',
  severity: 'error',
  summary: 'A thread reply whose subject starts with "Re:", which the service adds itself.',
  check({ subject, emails }) {
    return emails
      .filter((email) => email.reply)
      .flatMap((email) => {
        const prefix = REPLY_PREFIX.exec(email.subject.value)?.[1];
        if (prefix === undefined) return [];
        const rest = email.subject.value.replace(REPLY_PREFIX, '');
        return {
          message: `${email.subject.label}: it is sent as a thread reply, and the service puts "Re: " in front itself: recipients would read "Re: ${email.subject.value.trim()}".`,
          hint: rest === '' ? 'Write the subject without it.' : `Write "${rest}".`,
          place: subject.at(email.subject.path, { text: prefix }),
        };
      });
  },
};

/** There is no thread yet that the first email could reply to. */
export const replyFirstStep: CampaignRule = {
  scope: 'campaign',
  code: 'reply-first-step',
  severity: 'error',
  summary: 'The first step is sent as a thread reply, with nothing to reply to.',
  check({ subject, emails }) {
    return emails
      .filter((email) => email.step === 0 && email.written.thread_reply === true)
      .map((email) => ({
        message: `${email.label}: the first email of a sequence cannot be a thread reply, since nothing was sent before it.`,
        hint: 'Remove thread_reply here, or move the step behind the email it replies to.',
        place: subject.at([...email.path, 'thread_reply']),
      }));
  },
};

/** The service refuses the whole sequence, or mails the steps at once. */
export const waitTooShort: CampaignRule = {
  scope: 'campaign',
  code: 'wait-too-short',
  severity: 'error',
  summary: 'A wait of less than one day.',
  check({ subject, emails }) {
    return emails.flatMap((email: Email) => {
      const days = email.written.wait_in_days;
      if (days === undefined || days >= 1) return [];
      return {
        message: `${email.label}: wait_in_days is ${days}; the service wants at least 1, on the last step too.`,
        hint: 'Write 1 or more.',
        place: subject.at([...email.path, 'wait_in_days']),
      };
    });
  },
};
