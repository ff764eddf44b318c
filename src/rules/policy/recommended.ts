import type { PolicyConfig } from './config.generated.js';

/** The built-in set by name, with what each asks for; explained in `docs/policies.md`. */
export const RECOMMENDED = {
  unsubscribe: {
    severity: 'error',
    reason: 'Whoever wants no more emails can say so with one click.',
    require: { 'settings.can_unsubscribe': true, 'settings.unsubscribe_text': 'any' },
  },
  'daily-limit': {
    severity: 'warning',
    reason: 'Without a limit that is written down, the default of the service holds.',
    range: { 'settings.max_emails_per_day': { max: 1000 } },
  },
  'subject-length': {
    severity: 'warning',
    reason: 'Mail programs cut longer subjects off.',
    subject: { longest: 70 },
  },
  'few-links': {
    severity: 'warning',
    reason: 'An email to somebody new that is full of links is taken for an advertisement.',
    links: { most: 5 },
  },
  'https-links': {
    severity: 'warning',
    reason: 'Browsers warn of pages that come over the network in the clear.',
    links: { https: true },
  },
  'link-shorteners': {
    severity: 'warning',
    reason: 'Spam filters distrust links that hide where they lead.',
    links: {
      never_hosts: [
        'bit.ly',
        'buff.ly',
        'cutt.ly',
        'goo.gl',
        'is.gd',
        'ow.ly',
        'rb.gy',
        't.co',
        't.ly',
        'tiny.cc',
        'tinyurl.com',
      ],
    },
  },
  'follow-up': {
    severity: 'warning',
    reason: 'Most answers come to a second email.',
    optional: true,
    steps: { least: 2 },
  },
  patience: {
    severity: 'warning',
    reason: 'Two emails on two days in a row are too many.',
    steps: { shortest_wait: 2 },
    optional: true,
  },
} as const satisfies Record<string, PolicyConfig & { severity: 'error' | 'warning'; reason: string }>;

export type RecommendedName = keyof typeof RECOMMENDED;

export const RECOMMENDED_NAMES = Object.keys(RECOMMENDED) as RecommendedName[];
