import equal from 'fast-deep-equal';
import type { Change } from '../../model/change.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { CampaignUpdate, SkippedDifference, UpdatedValue } from '../../model/update.js';
import type { Work } from '../../plan/index.js';
import { specsOf, type Texts } from './files.js';
import { carryOut } from './pass.js';
import { keyOf, type ManifestRefresh, refreshManifest, type UpdateInput } from './refresh.js';

/** One campaign after its update. `spec`: what the manifest says then. */
export interface Updated {
  texts: Texts;
  update: CampaignUpdate;
  spec: CampaignSpec;
}

/** Problems that say that the live campaign may not be the one that is meant, or is no more. */
const STRANGE = ['rename', 'missing', 'campaign-gone', 'name-differs'];
/** Each pass writes or refuses something, so that there is an end; this is the bolt behind the lock. */
const PASSES = 100;

/** Where the passs have led: differences that were tried, the files they stand in, and those that were refused, with reasons. */
interface State {
  texts: Texts;
  look: ManifestRefresh;
  tried: Map<string, { change: Change; file: string }>;
  refused: Map<string, string>;
}

/**
 * Makes the manifest of one campaign say what the service shows, as far as it can: plans, edits, plans again with the same
 * answers. What would be an error in any environment is taken back.
 */
export function updateCampaign(work: Work, before: Texts, input: UpdateInput): Updated {
  const strange = work.plan.problems.filter(({ code }) => STRANGE.includes(code));
  const isStranger = strange.some(({ code }) => code !== 'name-differs');
  const start = {
    texts: before,
    look: refreshManifest(work, before, input),
    tried: new Map(),
    refused: new Map(),
  };
  const { texts, look, tried, refused } = isStranger ? start : passs(start, work, input);
  const remaining = new Set(look.planned.map(({ change }) => keyOf(change)));
  const { manifest, name, id } = work.plan;
  return {
    texts,
    spec: look.spec,
    update: {
      manifest,
      name,
      id,
      updated: [...tried]
        .filter(([key]) => !remaining.has(key))
        .map(([, { change, file }]) => takenOf(change, file, look.spec)),
      skipped: [
        ...strange.map(({ message }) => ({ section: 'campaign' as const, path: 'name', reason: message })),
        ...(isStranger ? [] : look.planned.map((one) => leftOf(one, refused))),
      ],
      local_changes: isStranger ? [] : look.localChanges.map(({ section, path }) => ({ section, path })),
      other_environments: otherEnvironments(work, { before, after: texts }, input),
      in_sync: look.planned.length === 0 && !isStranger,
    },
  };
}

/** Until nothing more can be written: what a variant takes from its step shows once the step is right. */
function passs(start: State, work: Work, input: UpdateInput): State {
  const { tried, refused } = start;
  let { texts, look } = start;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const open = look.planned.filter(({ change }) => !refused.has(keyOf(change)));
    const made = carryOut(open, texts, look, input);
    if (made.texts === texts && made.refused.size === 0) break;
    for (const [key, reason] of made.refused) refused.set(key, reason);
    for (const { change, edit } of open) {
      const key = keyOf(change);
      if ('file' in edit && !tried.has(key)) tried.set(key, { change, file: edit.file });
    }
    texts = made.texts;
    look = refreshManifest(work, texts, input);
  }
  return { texts, look, tried, refused };
}

/** As the manifest sees it: what the plan would take away has come. */
function takenOf({ section, path, kind, from, to }: Change, file: string, spec: CampaignSpec): UpdatedValue {
  const seen = { add: 'remove', remove: 'add', update: 'update' } as const;
  return {
    section,
    path,
    kind: seen[kind],
    from: to,
    to: section === 'status' ? (spec.status ?? null) : from,
    file,
  };
}

function leftOf(
  { change, edit }: ManifestRefresh['planned'][number],
  refused: ReadonlyMap<string, string>,
): SkippedDifference {
  const { section, path } = change;
  const reason =
    refused.get(keyOf(change)) ?? ('reason' in edit ? edit.reason : 'it still differs after the edit');
  return { section, path, reason };
}

function otherEnvironments(
  { campaign }: Work,
  { before, after }: { before: Texts; after: Texts },
  input: UpdateInput,
): string[] {
  if (before === after) return [];
  const was = specsOf(campaign.manifest, campaign.file, before, input);
  const is = specsOf(campaign.manifest, campaign.file, after, input);
  return [...is].flatMap(([name, spec]) =>
    name === input.environment.name || equal(spec, was.get(name)) ? [] : [name],
  );
}
