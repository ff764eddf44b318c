import { EXIT } from '../../model/failure.js';
import { readPlanFile } from '../../operations/plan.js';
import { isFolder, plansOf, readPlans } from '../../operations/plan-sets.js';
import { defineCommand, planFile, planOutputs } from '../options.js';
import { refusePage, showPlan, showPlans } from '../outputs.js';

/** Prints a saved plan as plan printed it. Needs neither network nor project. */
export const command = defineCommand({
  positionals: { file: planFile },
  options: planOutputs,
  examples: [
    ['campaignctl show plan.json', 'as plan printed it'],
    ['campaignctl show plan.json --format markdown', 'for a comment on the pull request'],
    ['campaignctl show plans/', 'the plans of several projects in one report'],
  ],
  async run(flags, shell) {
    if (isFolder(flags.file, shell)) {
      refusePage(flags);
      return showPlans(plansOf(await readPlans(flags.file, shell)), flags, shell);
    }
    const { plan } = await readPlanFile(flags.file, shell);
    await showPlan(plan, flags, shell);
    return EXIT.ok;
  },
});
