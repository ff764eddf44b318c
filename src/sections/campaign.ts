import { isSameName } from '../model/characters.js';
import { type JsonObject, property } from '../model/json.js';
import { existingRecord, shownValue } from '../model/live.js';
import type { PlanProblem } from '../model/outputs.js';
import { CREATED_STATE } from '../model/state.js';
import type { Target } from '../model/target.js';
import { added, defineSection, type SectionChange, type SectionDifference, updated } from './section.js';

/** One line without white space around it. */
const NAME = '^\\S(?:[^\\u0000-\\u001f\\u007f]*\\S)?$';

const properties: JsonObject = {
  name: property(
    { type: 'string', minLength: 1, pattern: NAME },
    "The campaign's name in the service: one line, without leading or trailing white space. The API cannot rename a campaign: a different name means a different campaign.",
    'Spring installers',
    'Q3 Installers | Google',
  ),
  id: property(
    { type: 'integer', minimum: 1 },
    'Pins the live campaign with this id, whatever its name. Usually given per environment.',
    42,
  ),
  replaces: property(
    { type: ['integer', 'string'], minimum: 1, minLength: 1, pattern: NAME },
    'Name or id of the campaign that this one replaces. Apply pauses the old campaign before it creates the new one, and launches the new one last.',
    'Spring installers 2025',
    41,
  ),
};

/** `null` before the campaign exists. `name` and `status`: `null` if not shown. */
type LiveIdentity = { id: number; name: string | null; status: string | null } | null;

export const campaign = defineSection<LiveIdentity, { name: string }>({
  name: 'campaign',
  properties,
  reads: [],
  normalize: ({ spec: { name } }) => ({ name }),
  decode,
  diff,
  recordStep(recorded, _step, effect) {
    if (effect !== 'done') return recorded;
    // What is known already if the journal of the run that created the campaign is replayed.
    const { not_kept, launch_held } = recorded;
    return {
      ...CREATED_STATE,
      ...(not_kept === undefined ? {} : { not_kept }),
      ...(launch_held === undefined ? {} : { launch_held }),
    };
  },
  toView: () => null,
  toManifest: () => ({ section: null, remarks: [] }),
});

function decode({ id, live }: Target): LiveIdentity {
  if (id === null) return null;
  const { row = null } = live ?? {};
  const record = live && existingRecord(live);
  const [name, status] =
    record === null ? [null, null] : [shownValue(record.name), shownValue(record.status)];
  return { id, name: row?.name ?? name, status: status ?? row?.status ?? null };
}

function diff(live: LiveIdentity, desired: { name: string }, { status }: Target): SectionDifference {
  if (live === null)
    return {
      changes: [added('name', desired.name)],
      problems: [],
      steps: [
        {
          id: 'create',
          stage: 'create',
          title: 'create the campaign',
          method: 'POST',
          path: '/api/campaigns',
          body: { name: desired.name },
          irreversible: true,
        },
      ],
    };
  const problems: PlanProblem[] = [];
  const byHand: SectionChange[] = [];
  if (live.name !== null && !isSameName(live.name, desired.name)) {
    problems.push({
      code: 'name-differs',
      severity: 'warning',
      message: `Campaign ${live.id} is called "${live.name}" in the service. It is pinned by id, so campaignctl still manages it, but the API cannot rename it.`,
      hint: `Write name: ${JSON.stringify(live.name)} in the manifest, or rename the campaign in the service's web app.`,
    });
    byHand.push(updated('name', live.name, desired.name));
  }
  if (status.meaning === 'gone') {
    problems.push({
      code: 'campaign-gone',
      severity: 'blocked',
      message: `Campaign ${live.id} is "${status.word}" in the service. It cannot be changed, and the API cannot restore it.`,
      hint: "Restore it in the service's web app. To create a new campaign instead, give the manifest a different name and no id:, then pass --allow rename.",
    });
    byHand.push(updated('status', status.word, null));
  }
  return { changes: [], problems, steps: [], byHand };
}
