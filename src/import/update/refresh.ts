import type { ManifestDocument } from '../../manifest/index.js';
import type { Change } from '../../model/change.js';
import type { Environment } from '../../model/environment.js';
import type { CampaignSpec } from '../../model/spec.js';
import { liveStatus, replan, type Work } from '../../plan/index.js';
import { SECTIONS } from '../../sections/index.js';
import { aligned } from './align.js';
import { type Reading, resolveFile, type Texts } from './files.js';
import { type PlannedEdit, planEdit } from './planned-edit.js';
import type { View } from './writing.js';

/** `overlay`: write into the overlay of the environment what stands in the base. `uses`: as in `View`. */
export interface UpdateInput extends Reading {
  environment: Environment;
  overlay: boolean;
  uses: ReadonlyMap<string, number>;
}

/**
 * A look at a campaign with the texts so far: what differs, and what could be done about each of it. `meant`: what somebody has
 * changed in the manifest since the last apply, and nobody in the service: that is for apply.
 */
export interface ManifestRefresh {
  spec: CampaignSpec;
  document: ManifestDocument;
  planned: { change: Change; edit: PlannedEdit }[];
  localChanges: Change[];
}

const ALL = SECTIONS.map(({ name }) => name);
export function refreshManifest(
  { campaign, context, plan }: Work,
  texts: Texts,
  input: UpdateInput,
): ManifestRefresh {
  const { subjects, documents } = resolveFile(campaign.file, input.environment, texts, input);
  const found = subjects.find(
    ({ manifest, spec }) => manifest === campaign.manifest && spec.name === campaign.spec.name,
  );
  const document = documents.find((one) => one.manifest === campaign.manifest);
  if (found === undefined || document === undefined)
    throw new Error(`${campaign.manifest} is not there any more`);
  const now = { ...context, spec: found.spec };
  const planned = replan(now, ALL).changes;
  const isMine = plan.changes.some(({ section, origin }) => section === 'sequence' && origin === 'manifest');
  const changes = isMine ? planned : aligned(planned, now);
  const intended = new Set(plan.changes.filter(({ origin }) => origin === 'manifest').map(keyOf));
  const isMeant = (change: Change) => intended.has(keyOf(change));
  const view: View = {
    subject: found,
    document,
    changes,
    status: liveStatus(now),
    overlay: input.overlay ? input.environment.name : null,
    uses: (file) => input.uses.get(file) ?? 0,
  };
  return {
    spec: found.spec,
    document,
    planned: changes
      .filter((change) => !isMeant(change))
      .map((change) => ({ change, edit: planEdit(change, view) })),
    localChanges: changes.filter(isMeant),
  };
}

/** Names a difference, in one pass and the next. */
export function keyOf({ section, path }: Change): string {
  return `${section} ${path}`;
}
