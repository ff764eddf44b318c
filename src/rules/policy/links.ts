import { listed } from '../../manifest/words.js';
import type { JsonObject } from '../../model/json.js';
import { placeOf, quoted } from '../lint/excerpt.js';
import type { Remark } from '../lint/rule.js';
import type { Check, Fault, ReadCampaign, ReadEmail } from './check.js';
import type { PolicyConfig } from './config.generated.js';
import { isInsecure, type Link, targetOf } from './links-in.js';

type Wanted = NonNullable<PolicyConfig['links']>;

const hosts = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', minLength: 1 },
};

const schema: JsonObject = {
  title: 'LinksPolicy',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description:
    'Where links and images of emails lead. Mail addresses and phone numbers are no links, nor is what stands in <style>.',
  examples: [{ hosts: ['example.com', '*.example.com'], most: 3, https: true }],
  properties: {
    hosts: {
      ...hosts,
      description:
        'The only hosts that are allowed; *.example.com is every host below it. A host that is a variable is not known.',
      examples: [['example.com', '*.example.com']],
    },
    never_hosts: { ...hosts, description: 'Hosts that are not allowed.', examples: [['bit.ly', '*.bit.ly']] },
    most: {
      type: 'integer',
      minimum: 0,
      description: 'Most links of an email, each choice of spintax counted; images do not count.',
      examples: [3],
    },
    https: {
      type: 'boolean',
      enum: [true],
      description: 'Every address begins with https.',
      examples: [true],
    },
  },
};

/** Hosts, number and safety of the links of each email. */
export const links: Check = {
  key: 'links',
  schema,
  faults: ({ links: wanted = {} }) => [
    ...hostFaults('hosts', wanted.hosts),
    ...hostFaults('never_hosts', wanted.never_hosts),
  ],
  breaches({ links: wanted }, campaign) {
    if (wanted === undefined) return [];
    return campaign.emails.flatMap((email) => [
      ...email.links.flatMap((link) => {
        const said = breachOf(link, wanted);
        return said === null ? [] : [remarkAt(campaign, { email, link, ...said })];
      }),
      ...tooMany(campaign, email, wanted),
    ]);
  },
};

/** What belongs to other parts of an address than its host. */
const NO_HOST = /[\s/:@?#*\\{}]/;

interface Said {
  what: string;
  hint: string;
}

function breachOf(link: Link, { hosts: allowed, never_hosts: never, https }: Wanted): Said | null {
  const target = targetOf(link);
  if (target === null) return null;
  if (allowed !== undefined) {
    const hint = `Allowed hosts: ${listed(allowed)}.`;
    if (target.kind === 'unknown') return { what: 'leads to a host that is not known', hint };
    if (target.kind === 'other') return { what: 'is no web address', hint };
    if (!allowed.some((pattern) => covers(pattern, target.host)))
      return { what: `leads to ${target.host}, which is not an allowed host`, hint };
  }
  if (target.kind === 'web' && never?.some((pattern) => covers(pattern, target.host)))
    return { what: `leads to ${target.host}`, hint: 'Link to the page itself.' };
  if (https === true && isInsecure(link))
    return { what: 'does not begin with https', hint: 'Write https:// in front.' };
  return null;
}

function remarkAt(
  { subject }: ReadCampaign,
  { email: { body }, link, what, hint }: Said & { email: ReadEmail; link: Link },
): Remark {
  const start = body.value.indexOf(link.text);
  const piece = start < 0 ? { start: 0, text: '' } : { start, text: link.text };
  return {
    message: `${body.label}: ${link.kind === 'image' ? 'an image' : 'a link'}, ${quoted(link.text)}, ${what}.`,
    hint,
    place: placeOf(subject, body, piece),
  };
}

function tooMany({ subject }: ReadCampaign, { links, body }: ReadEmail, { most }: Wanted): Remark[] {
  const { length } = links.filter((link) => link.kind === 'link' && targetOf(link) !== null);
  if (most === undefined || length <= most) return [];
  const message = `${body.label}: it has ${length} ${length === 1 ? 'link' : 'links'}, more than ${most}.`;
  return [{ message, hint: `Keep ${most} or fewer.`, place: subject.at(body.path) }];
}

function covers(pattern: string, host: string): boolean {
  const name = hostName(pattern.replace(/^\*\./, ''));
  if (name === null) return false;
  return pattern.startsWith('*.') ? host.endsWith(`.${name}`) : host === name;
}

/** A host as addresses give it: lower case, other scripts in the spelling of the network; null for what is none. */
function hostName(text: string): string | null {
  const address = `https://${text}/`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : null;
}

function hostFaults(key: 'hosts' | 'never_hosts', patterns: readonly string[] = []): Fault[] {
  return patterns.flatMap((pattern, index) =>
    NO_HOST.test(pattern.replace(/^\*\./, '')) || hostName(pattern.replace(/^\*\./, '')) === null
      ? [
          {
            path: ['links', key, index],
            message: `links.${key}: ${quoted(pattern)} is no name of a host.`,
            hint: 'Write example.com, or *.example.com for every host below it.',
          },
        ]
      : [],
  );
}
