import type { CampaignRule } from './rule.js';

/** Without a text there is no link to click, as far as anybody knows. */
export const unsubscribeWithoutText: CampaignRule = {
  scope: 'campaign',
  code: 'unsubscribe-without-text',
  severity: 'warning',
  summary: 'Recipients can unsubscribe, but the link has no text.',
  check({ subject }) {
    const { can_unsubscribe, unsubscribe_text } = subject.spec.settings ?? {};
    if (can_unsubscribe !== true || hasText(unsubscribe_text)) return [];
    const written = unsubscribe_text !== undefined;
    return [
      {
        message: `can_unsubscribe is true, but unsubscribe_text is ${written ? 'empty' : 'not written'}: the link may have no words to click on.`,
        hint: 'Write unsubscribe_text, for example "Unsubscribe here".',
        place: subject.at(['settings', written ? 'unsubscribe_text' : 'can_unsubscribe']),
      },
    ];
  },
};

export const unsubscribeTextUnused: CampaignRule = {
  scope: 'campaign',
  code: 'unsubscribe-text-unused',
  severity: 'warning',
  summary: 'A text for the unsubscribe link, but no link.',
  check({ subject }) {
    const { can_unsubscribe, unsubscribe_text } = subject.spec.settings ?? {};
    if (can_unsubscribe === true || !hasText(unsubscribe_text)) return [];
    const state = can_unsubscribe === undefined ? 'not written' : String(can_unsubscribe);
    return [
      {
        message: `unsubscribe_text is given, but can_unsubscribe is ${state}: there may be no link that shows it.`,
        hint: 'Set can_unsubscribe to true, or remove unsubscribe_text.',
        place: subject.at(['settings', 'unsubscribe_text']),
      },
    ];
  },
};

/** Only what is written is compared: a limit that is left out keeps its live value, whatever that is. */
export const newLeadsAboveEmails: CampaignRule = {
  scope: 'campaign',
  code: 'new-leads-above-emails',
  severity: 'warning',
  summary: 'More new leads than emails a day.',
  check({ subject }) {
    const { max_emails_per_day: emails, max_new_leads_per_day: leads } = subject.spec.settings ?? {};
    if (typeof emails !== 'number' || typeof leads !== 'number' || leads <= emails) return [];
    return [
      {
        message: `max_new_leads_per_day is ${leads}, more than max_emails_per_day, ${emails}: each new lead needs an email, and some installations refuse it.`,
        hint: `Write ${emails} or less, or raise max_emails_per_day.`,
        place: subject.at(['settings', 'max_new_leads_per_day']),
      },
    ];
  },
};

function hasText(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
