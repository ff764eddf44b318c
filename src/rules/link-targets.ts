import type { Link } from '../email/links.js';
import { excerpt, overlaps, spot } from './emails.js';
import { cleaned } from './links.js';
import type { CampaignRule } from './rule.js';

interface LinkFlaw {
  fact: string;
  hint: string;
}

export const LINK_RULES: readonly CampaignRule[] = [
  {
    code: 'broken-link',
    severity: 'warning',
    summary:
      'A link or an image whose address does not work in an email, such as `www.example.com` without `https://`.',
    *check({ emails }) {
      for (const { body, links } of emails) {
        const seen = new Set<string>();
        for (const link of links()) {
          const flaw = seen.has(link.text) ? null : linkFlaw(link);
          if (flaw === null) continue;
          seen.add(link.text);
          const span = { start: Math.max(0, body.value.indexOf(link.text)), text: link.text };
          if (body.placeholders().some((other) => overlaps(other, span))) continue;
          yield {
            ...spot(body, span),
            message: `${body.label}: the ${link.kind} ${excerpt(link.text)} ${flaw.fact}.`,
            hint: flaw.hint,
          };
        }
      }
    },
  },
];

/** Up to the path: labels of a host name, which ends with letters. */
const HOST_FIRST = /^(?:[\p{L}\p{N}-]+\.)+(\p{L}{2,})(?=[/?#:]|$)/u;
const FILE_ENDING = /^(?:html?|php|aspx?|pdf|docx?|xlsx?|png|jpe?g|gif|svg|webp|css|js|md|txt)$/i;

/** Adds `https://` to an address that begins with a host name; `null` for other addresses. */
export function withScheme(address: string): string | null {
  const [, ending = ''] = HOST_FIRST.exec(address) ?? [];
  return /^www\./i.test(address) || (ending !== '' && !FILE_ENDING.test(ending))
    ? `https://${address}`
    : null;
}

function linkFlaw({ address: written, kind }: Link): LinkFlaw | null {
  const address = cleaned(written);
  // Placeholders and variables, anchors, and addresses with the scheme of the page.
  if (!/^[\p{L}\p{N}./\\]/u.test(address) || /^[\\/]{2}[^\\/]/.test(address)) return null;
  if (/^(?:file:|[a-z]:[\\/]|\\\\)/i.test(address))
    return { fact: 'is a file on your computer, which recipients cannot open', hint: publishing(kind) };
  if (/^cid:/i.test(address))
    return {
      fact: 'is an attachment of another email, which is not sent',
      hint: publishing(kind),
    };
  if (/^mailto:/i.test(address))
    return /^mailto:(?:[^?]*(?:@|%40|\{)|\?)/i.test(address)
      ? null
      : { fact: 'is not a mail address', hint: 'Write the whole address, such as mailto:name@example.com.' };
  if (/^https?:/i.test(address)) return webFlaw(address);
  // Another scheme. `example.com:8080` is a host with a port.
  if (/^(?:tel|sms):|^[a-z][a-z0-9+-]*:(?!\d)/i.test(address)) return null;
  const whole = withScheme(address);
  return whole === null
    ? { fact: 'is not a whole address', hint: 'Write the whole address, such as https://example.com/page.' }
    : { fact: 'does not begin with https://, so it leads nowhere', hint: `Write ${whole}` };
}

function publishing(kind: Link['kind']): string {
  return `Put the ${kind === 'image' ? 'image' : 'file'} on a web server, and write its address, which begins with https://.`;
}

const OWN_NETWORK =
  /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|10\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|192\.168\.[\d.]+|169\.254\.[\d.]+|.*\.(?:local|localhost))$/i;

function webFlaw(address: string): LinkFlaw | null {
  const [, scheme = '', slashes = '', rest = ''] = /^(https?):([\\/]*)(.*)$/is.exec(address) ?? [];
  if (slashes.length !== 2)
    return {
      fact: `does not begin with ${scheme.toLowerCase()}://`,
      hint: `Write ${scheme.toLowerCase()}://${rest}`,
    };
  const [authority = ''] = /^[^\\/?#]*/.exec(rest) ?? [];
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '').replace(/\.$/, '');
  if (/[{}[\]%]/.test(host)) return null;
  if (OWN_NETWORK.test(host))
    return {
      fact: `leads to ${host}, which only your own network knows`,
      hint: 'Write the public address of the page.',
    };
  if (/^(?:[\p{L}\p{M}\p{N}_-]+\.)+[\p{L}\p{M}\p{N}-]+$/u.test(host)) return null;
  const fixed = host.replaceAll(/[,;]/g, '.');
  return {
    fact: host === '' ? 'has no host name' : `has ${excerpt(host)} as its host name, which cannot exist`,
    hint:
      fixed !== host && withScheme(fixed) !== null
        ? `Write ${scheme}://${rest.replace(host, () => fixed)}`
        : 'Write the whole address, such as https://example.com/page.',
  };
}
