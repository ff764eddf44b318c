import { resolve } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Plan } from '../../model/outputs.js';
import { shellWord } from '../../model/shell.js';
import { count } from '../../model/words.js';
import type { PlaceFlags } from '../../operations/place.js';
import { hasDifferences, planProject } from '../../operations/plan.js';
import { openSession } from '../../operations/session.js';
import { askedEnvironment } from '../../operations/world.js';
import { keepDrift } from '../../plan/drift.js';
import { refusals } from '../../plan/hazards.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { showPlan, showPlans } from '../outputs.js';
import { type Shell, watchInterrupts } from '../shell.js';

type PlanFlags = Flags<'plan'>;

export async function run(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  if (flags.drift && flags.refresh === 'changed')
    throw usage(
      '--drift cannot be combined with --refresh changed, which does not read all campaigns.',
      'Leave out one of the two. Nothing was read.',
    );
  if (isRecursive(flags, shell)) return planAll(flags, shell);
  const { code, result } = await planOne(flags, shell);
  if (flags.out !== null) shell.err(savedLine(flags.out, [result]));
  await showPlan(result, flags, shell, sourceIn(flags));
  return code;
}

function sourceIn({ out }: PlanFlags) {
  return out === null ? null : { file: out, created: null };
}

/** `confirmed`: ` --yes` for a folder, because an apply of several plans does not ask. */
function savedLine(out: string, plans: readonly Plan[], confirmed = ''): string {
  const saved = `Saved ${count(plans.length, 'plan')} to ${out}.`;
  if (plans.every(({ summary }) => summary.requests === 0)) return `${saved} There is nothing to apply.\n`;
  const refused = plans.flatMap(refusals);
  const isRefused = refused.some(({ severity }) => severity === 'error');
  const needsApproval = refused.some(({ severity }) => severity === 'hazard');
  const approvals = needsApproval
    ? ', with --allow for what you approve; to hold a launch, plan again with --hold'
    : '';
  const changes = plans.length === 1 ? 'its changes' : 'their changes';
  const first = isRefused ? `Once ${changes} are applied to the earlier environment` : 'To apply';
  return `${saved} ${first}, run campaignctl apply --plan ${shellWord(out)}${confirmed}${approvals}.\n`;
}

async function planOne(
  flags: PlanFlags & Pick<PlaceFlags, 'manifests'>,
  shell: Shell,
): Promise<{ code: ExitCode; result: Plan }> {
  const interrupt = watchInterrupts(shell);
  const session = await interrupt.guard(openSession(flags, shell));
  const { plan, renamed } = await planProject(session, flags.out, interrupt);
  const result = flags.drift ? keepDrift(plan, renamed) : plan;
  return { code: flags.detailedExitcode && hasDifferences(result) ? EXIT.pending : EXIT.ok, result };
}

async function planAll(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const { inProjects, chooseProjects, findLost } = await import('../projects.js');
  const { beginPlans, planFileOf, saveFailures } = await import('../../operations/plan-set.js');
  const { out } = flags;
  const chosen = await chooseProjects(flags, shell);
  const finding = findLost(chosen, flags, shell);
  const env = askedEnvironment(flags, shell);
  if (out !== null) {
    await beginPlans(out, { ...chosen, env, lost: await finding }, shell);
  }
  const runs = await inProjects(chosen, flags, shell, (project) => {
    const file = out === null ? null : resolve(shell.cwd, out, planFileOf(project.unit));
    return planOne({ ...project.flags, manifests: project.unit.manifests, out: file }, project.shell);
  });
  if (out !== null) {
    await saveFailures(out, runs, shell);
    const plans = runs.flatMap(({ result }) => result ?? []);
    shell.err(savedLine(out, plans, ' --yes'));
  }
  return showPlans({ runs, lost: await finding, source: sourceIn(flags), env }, flags, shell);
}
