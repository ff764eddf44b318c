import { EXIT, usage } from '../../model/failure.js';
import { checkTargets, stopOnErrors } from '../../operations/session.js';
import { compareEnvironments } from '../../plan/index.js';
import { loadCampaigns, readProject, selectEnvironment } from '../../project/index.js';
import { renderCompareMarkdown, renderCompareText } from '../../view/index.js';
import { argument, defineCommand, detailedExitcode, files, target, viewFormat } from '../options.js';
import { show } from '../outputs.js';

/** Characters of a comment on GitHub, with some room. */
const LIMIT = 60_000;

/** Shows how the manifests differ between two environments. Reads the project only: no service, no token. */
export const command = defineCommand({
  positionals: {
    from: argument('An environment, such as staging'),
    to: argument('Another environment, such as production'),
    files,
  },
  options: { format: viewFormat, target, detailedExitcode: detailedExitcode('anything differs') },
  examples: [
    ['campaignctl compare staging production', 'content first, then caps, ids and lists'],
    ['campaignctl compare staging production --format markdown', 'for a comment on the pull request'],
  ],
  async run(flags, shell) {
    const { cwd } = shell;
    const { files, target } = flags;
    refuseOthers(flags);
    const project = await readProject({ cwd, config: flags.config });
    const [from, to] = [selectEnvironment(project, flags.from), selectEnvironment(project, flags.to)];
    const loaded = await loadCampaigns(project, { environments: [from, to], files, cwd });
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
    const markdown = (shown: typeof comparison) => renderCompareMarkdown(shown, LIMIT);
    show(comparison, flags.format, { text: renderCompareText, markdown }, shell);
    const { campaigns, same } = comparison.summary;
    return flags.detailedExitcode && same < campaigns ? EXIT.pending : EXIT.ok;
  },
});

function refuseOthers({ env, from, to }: { env: string | null; from: string; to: string }): void {
  if (env === null && from !== to) return;
  throw usage(
    env !== null
      ? 'compare takes its two environments as words, not with --env.'
      : `compare takes two environments, not ${from} twice.`,
    'For example: campaignctl compare staging production.',
  );
}
