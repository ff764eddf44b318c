import type { Variable } from '../model/setting.js';
import type { Shell } from './shell.js';

/** Variables of the system that are looked at; `secret`: their values are not shown. A pipeline's own are left out. */
const KNOWN: readonly { name: string; secret?: true; used_for: string }[] = [
  { name: 'CAMPAIGNCTL_ENV', used_for: 'the environment, without --env' },
  { name: 'NO_COLOR', used_for: 'no colour, without --color' },
  { name: 'FORCE_COLOR', used_for: 'colour, without --no-color and NO_COLOR' },
  { name: 'COLUMNS', used_for: 'the width where there is no terminal' },
  { name: 'SOURCE_DATE_EPOCH', used_for: 'the moment that days to come are reckoned from' },
  { name: 'HTTPS_PROXY', secret: true, used_for: 'the proxy to a service over https' },
  { name: 'HTTP_PROXY', secret: true, used_for: 'the proxy where HTTPS_PROXY is not set' },
  { name: 'NO_PROXY', used_for: 'hosts that are reached without the proxy' },
  { name: 'NODE_EXTRA_CA_CERTS', used_for: 'certificates to trust, read by Node when it starts' },
  { name: 'GITHUB_TOKEN', secret: true, used_for: 'comment on GitHub' },
  { name: 'GH_TOKEN', secret: true, used_for: 'comment on GitHub, without GITHUB_TOKEN' },
  { name: 'GITLAB_TOKEN', secret: true, used_for: 'comment on GitLab' },
];

/** Every variable that is looked at, that of the token first. Tokens and proxies are only said to be set. */
export function variablesOf(
  env: Shell['env'],
  token: { name: string; environment: string } | null,
): Variable[] {
  const known = KNOWN.map(({ name, secret = false, used_for }) => {
    // A proxy's variable may be written in lower case too.
    const value = (name.endsWith('_PROXY') ? env[name.toLowerCase()] : undefined) || env[name] || null;
    return { name, set: value !== null, value: secret ? null : value, used_for };
  });
  if (token === null) return known;
  const { name, environment } = token;
  const set = (env[name]?.trim() ?? '') !== '';
  const own = { name, set, value: null, used_for: `the API token for ${environment}` };
  return [own, ...known.filter((one) => one.name !== name)];
}
