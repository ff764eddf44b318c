import { EXIT, usage } from '../../model/failure.js';
import { compareProject } from '../../operations/plan.js';
import { readProject } from '../../project/index.js';
import { renderCompareMarkdown, renderCompareText } from '../../view/index.js';
import { argument, defineCommand, detailedExitcode, files, naming, target, viewFormat } from '../options.js';
import { show } from '../outputs.js';

/** Characters of a comment on GitHub, with some room. */
const LIMIT = 60_000;

/** Shows how the manifests differ between two environments. Reads the project only: no service, no token. */
export const command = defineCommand({
  positionals: {
    from: naming('environments', argument('An environment, such as staging')),
    to: naming('environments', argument('Another environment, such as production')),
    files,
  },
  options: { format: viewFormat, target, detailedExitcode: detailedExitcode('anything differs') },
  examples: [
    ['campaignctl compare staging production', 'every difference between the two'],
    ['campaignctl compare staging production --format markdown', 'for a comment on the pull request'],
  ],
  async run(flags, shell) {
    if (flags.env !== null)
      throw usage(
        'compare takes its two environments as words, not with --env.',
        'For example: campaignctl compare staging production.',
      );
    const project = await readProject({ cwd: shell.cwd, config: flags.config });
    const comparison = await compareProject(project, flags, shell);
    const markdown = (shown: typeof comparison) => renderCompareMarkdown(shown, LIMIT);
    show(comparison, flags.format, { text: renderCompareText, markdown }, shell);
    const { campaigns, same } = comparison.summary;
    return flags.detailedExitcode && same < campaigns ? EXIT.pending : EXIT.ok;
  },
});
