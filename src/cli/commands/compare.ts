import { EXIT, type ExitCode } from '../../model/failure.js';
import { compareEnvironments } from '../../plan/index.js';
import { loadCampaigns, readProject, selectEnvironment } from '../../project/index.js';
import { renderCompareMarkdown, renderCompareText, renderJson } from '../../view/index.js';
import {
  argument,
  command,
  detailedExitcode,
  type Flags,
  files,
  target,
  usage,
  viewFormat,
} from '../options.js';
import { checkTargets, stopOnErrors } from '../session.js';
import type { Shell } from '../shell.js';

const positionals = {
  from: argument('Environment, such as staging'),
  to: argument('The other one, such as production'),
  files,
};
const options = { format: viewFormat, target, detailedExitcode: detailedExitcode('anything differs') };
type CompareFlags = Flags<typeof positionals & typeof options>;

export const compareCommand = command({
  positionals,
  options,
  examples: [
    ['campaignctl compare staging production', 'content first, then caps, ids and lists'],
    ['campaignctl compare staging production --format markdown', 'for a comment on the pull request'],
  ],
  run: compare,
});

/** Characters of a comment on GitHub, with some room. */
const LIMIT = 60_000;

/** Shows how the manifests differ between two environments. Reads the project only: no service, no token. */
async function compare(flags: CompareFlags, shell: Shell): Promise<ExitCode> {
  refuseOthers(flags);
  const project = await readProject({ cwd: shell.cwd, config: flags.config });
  const [from, to] = [selectEnvironment(project, flags.from), selectEnvironment(project, flags.to)];
  const { files, target, format } = flags;
  const loaded = await loadCampaigns(project, { environments: [from, to], files, cwd: shell.cwd });
  stopOnErrors(loaded.findings, 'Correct them first.');
  const [left, right] = [loaded.campaigns[from.name] ?? [], loaded.campaigns[to.name] ?? []];
  checkTargets([...left, ...right], target);
  const named = [...left, ...right].filter(({ spec }) => target.includes(spec.name));
  const manifests = new Set(named.map(({ manifest }) => manifest));
  const isMeant = ({ manifest }: { manifest: string }) => target.length === 0 || manifests.has(manifest);
  const comparison = compareEnvironments(
    { environment: from, campaigns: left.filter(isMeant) },
    { environment: to, campaigns: right.filter(isMeant) },
  );
  if (format === 'json') shell.out(renderJson(comparison));
  else if (format === 'markdown') shell.out(renderCompareMarkdown(comparison, LIMIT));
  else shell.out(renderCompareText(comparison, shell.onOut));
  const { campaigns, same } = comparison.summary;
  return flags.detailedExitcode && same < campaigns ? EXIT.pending : EXIT.ok;
}

function refuseOthers({ env, from, to }: CompareFlags): void {
  const message =
    env !== null
      ? 'compare takes its two environments as words, not with --env.'
      : from === to
        ? `compare takes two environments, not ${from} twice.`
        : null;
  if (message === null) return;
  throw usage(message, 'For example: campaignctl compare staging production.');
}
