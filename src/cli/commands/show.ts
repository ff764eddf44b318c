import { EXIT } from '../../model/failure.js';
import { readPlanFile } from '../../operations/plan.js';
import { defineCommand, planFile, planOutputs } from '../options.js';
import { showPlan } from '../outputs.js';

/** Prints a saved plan as plan printed it. Needs neither network nor project. */
export const command = defineCommand({
  positionals: { file: planFile },
  options: planOutputs,
  examples: [
    ['campaignctl show plan.json', 'as plan printed it'],
    ['campaignctl show plan.json --format markdown', 'for a comment on the pull request'],
  ],
  async run(flags, shell) {
    const { plan } = await readPlanFile(flags.file, shell);
    await showPlan(plan, flags, shell);
    return EXIT.ok;
  },
});
