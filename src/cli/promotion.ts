import type { Refresh } from '../apply/index.js';
import { Failure } from '../model/failure.js';
import type { Problem } from '../model/problem.js';
import { unapplied } from '../plan/index.js';
import { loadCampaigns, selectEnvironment } from '../project/index.js';
import { openStore } from '../state/index.js';
import { type Session, stateFolder } from './session.js';

/**
 * What would change and was not applied to another environment before. `stage`: its name, null where nothing is required.
 * Reads files only: what was applied there is known from its state.
 */
export async function withoutStage(
  { work }: Refresh,
  { project, environment, selection }: Session,
  stage: string | null,
): Promise<Problem[]> {
  if (stage === null) return [];
  if (stage === environment.name) {
    throw new Failure({
      code: 'usage',
      message: `--require-applied names ${stage}, the environment that is applied to.`,
      hint: 'Name the one that comes before it, for example: apply --env production --require-applied staging.',
    });
  }
  const before = selectEnvironment(project, stage);
  if (work.every(({ plan }) => plan.action === 'none')) return [];
  const { campaigns } = await loadCampaigns(project, {
    environments: [before],
    files: selection.files,
    cwd: project.root,
  });
  const entries = await openStore(stateFolder(project, before)).readAll();
  return unapplied(work, environment, {
    environment: before,
    campaigns: campaigns[before.name] ?? [],
    entries,
  });
}
