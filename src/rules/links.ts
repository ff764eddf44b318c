import type { Link } from '../email/links.js';
import { property } from '../model/json.js';
import { listed } from '../model/words.js';
import { excerpt, spot } from './emails.js';
import type { LinksPolicy } from './policies.generated.js';
import { NON_EMPTY_LIST, type PolicyKind } from './rule.js';

const hosts = { ...NON_EMPTY_LIST, items: { type: 'string', minLength: 1 } };

export const linksPolicy: PolicyKind<'links'> = {
  key: 'links',
  schema: {
    title: 'LinksPolicy',
    description:
      'Where links and images may lead. Mail addresses, phone numbers and the content of <style> do not count.',
    examples: [{ hosts: ['example.com', '*.example.com'], most: 3, https: true }],
    properties: {
      hosts: property(
        hosts,
        'The only allowed hosts; *.example.com matches all its subdomains. A host that contains a variable or spintax is not allowed.',
        ['example.com', '*.example.com'],
      ),
      never_hosts: property(hosts, 'Forbidden hosts.', ['bit.ly', '*.bit.ly']),
      most: property(
        { type: 'integer', minimum: 0 },
        'Maximum number of links in an email, counting those in all spintax choices. Images do not count.',
        3,
      ),
      https: property(
        { type: 'boolean', enum: [true] },
        'No address may begin with http://, // or www.',
        true,
      ),
    },
  },
  faults: (wanted) =>
    (['hosts', 'never_hosts'] as const).flatMap((key) =>
      (wanted[key] ?? []).flatMap((pattern, index) => {
        const name = pattern.replace(/^\*\./, '');
        if (!NO_HOST.test(name) && hostName(name) !== null) return [];
        const message = `links.${key}: ${excerpt(pattern)} is not a host name.`;
        const hint = 'Write example.com, or *.example.com for every host below it.';
        return [{ path: ['links', key, index], message, hint }];
      }),
    ),
  *check(wanted, { emails }) {
    for (const { body, links } of emails) {
      let count = 0;
      for (const link of links()) {
        const target = parseTarget(link);
        if (target === null) continue;
        if (link.kind === 'link') count += 1;
        const flaw = findFlaw(link, target, wanted);
        if (flaw === null) continue;
        yield {
          ...spot(body, { start: Math.max(0, body.value.indexOf(link.text)), text: link.text }),
          message: `${body.label}: ${link.kind === 'image' ? 'an image' : 'a link'}, ${excerpt(link.text)}, ${flaw.fact}.`,
          hint: flaw.hint,
        };
      }
      if (count <= (wanted.most ?? count)) continue;
      yield {
        path: body.path,
        message: `${body.label}: the body has ${count} ${count === 1 ? 'link' : 'links'}, more than ${wanted.most}.`,
        hint: `Keep ${wanted.most} or fewer.`,
      };
    }
  },
};

const NO_HOST = /[\s/:@?#*\\{}]/;

function findFlaw(
  link: Link,
  target: LinkTarget,
  { hosts: allowed, never_hosts: never, https }: LinksPolicy,
): { fact: string; hint: string } | null {
  if (allowed !== undefined) {
    const hint = `Allowed hosts: ${listed(allowed)}.`;
    if (target.kind === 'unknown') return { fact: 'leads to an unknown host', hint };
    if (target.kind === 'other') return { fact: 'is not a web address', hint };
    if (!allowed.some((pattern) => covers(pattern, target.host)))
      return { fact: `leads to ${target.host}, which is not an allowed host`, hint };
  }
  if (target.kind === 'web' && never?.some((pattern) => covers(pattern, target.host)))
    return { fact: `leads to ${target.host}`, hint: 'Link directly to the page.' };
  // Without a scheme, an address may be opened without encryption, or not at all.
  if (https === true && /^(?:http:|[\\/]{2}|www\.)/i.test(cleaned(link.address)))
    return { fact: 'does not begin with https', hint: 'Write https:// at the beginning.' };
  return null;
}

function covers(pattern: string, host: string): boolean {
  const name = hostName(pattern.replace(/^\*\./, ''));
  if (name === null) return false;
  return pattern.startsWith('*.') ? host.endsWith(`.${name}`) : host === name;
}

function hostName(text: string): string | null {
  const address = `https://${text}/`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : null;
}

/** `unknown`: the host is missing, or is a variable or a choice. `other`: the target is not a web page. */
type LinkTarget = { kind: 'web'; host: string } | { kind: 'unknown' } | { kind: 'other' };

const HARMLESS = /^(?:mailto|tel|sms|cid):/i;

/** The target as browsers parse it; `null` for mail addresses, phone numbers and anchors. */
export function parseTarget({ address, kind }: Link): LinkTarget | null {
  const text = cleaned(address);
  if (text === '' || text.startsWith('#') || HARMLESS.test(text)) return null;
  if (kind === 'image' && /^data:/i.test(text)) return null;
  const [head] = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*[^\\/?#]*/i.exec(text) ?? [''];
  if (/[{}]/.test(head) || !URL.canParse(text, 'https://nowhere.invalid')) return { kind: 'unknown' };
  const url = new URL(text, 'https://nowhere.invalid');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'other' };
  const host = url.hostname.replace(/\.$/, '');
  return host === 'nowhere.invalid' ? { kind: 'unknown' } : { kind: 'web', host };
}

/** Browsers ignore line endings and tabs, and trim white space and control characters. */
export function cleaned(address: string): string {
  return address.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+|[\0- ]+$/g, '');
}
