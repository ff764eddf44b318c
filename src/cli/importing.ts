import {
  chooseBasenames,
  type ImportedManifest,
  type ImportInput,
  importCampaign,
  type LiveCampaign,
  nameCampaigns,
  slugOf,
} from '../import/index.js';
import { nearest } from '../manifest/index.js';
import type { ListedCampaign } from '../model/answer.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import type { SkippedCampaign } from '../model/outputs.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { liveStatus, matchCampaigns } from '../plan/index.js';
import { basenamesIn, manifestPlace, takenBasenames } from '../project/index.js';
import { type Reader, readAnswers } from '../service/index.js';
import type { Session } from './session.js';

/** What the service and the state hold, and the way to read more. */
export interface Seen {
  reader: Reader;
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

/** Which campaigns, and where to. `names`: none means all; `dir` is relative to `cwd`. */
export interface ImportRequest {
  names: readonly string[];
  dir: string | null;
  overwrite: boolean;
  cwd: string;
}

/** A campaign with its manifest, and with what was known of it before. */
export interface Made {
  live: LiveCampaign;
  adopted: ImportedManifest;
}

/** All that an import comes to, before anything is written. */
export interface ImportResult {
  made: Made[];
  skipped: SkippedCampaign[];
  notes: string[];
}

/** Selects, reads and writes in recorded. */
export async function importCampaigns(
  session: Session,
  wish: ImportRequest,
  seen: Seen,
): Promise<ImportResult> {
  const { campaigns, environment, project } = session;
  const { listed, entries } = seen;
  const matches = matchCampaigns(campaigns, listed, entries);
  const managed = matches.flatMap(({ id, campaign }) =>
    id === null ? [] : [[id, campaign.manifest] as const],
  );
  const bare = matches.filter(({ id }) => id === null).map(({ campaign }) => campaign.manifest);
  const { chosen, skipped } = selectLive(wish.names, listed, new Map(managed));
  const { alive, gone } = await readLive(chosen, session, seen);
  const { targets, notes } = targetsOf(alive, session, wish);
  const names = nameCampaigns(
    alive.map((live) => live.listed),
    { campaigns, listed, entries },
  );
  const { lint: rules, policies } = project;
  const about = { environment, environments: Object.values(project.environments), rules, policies };
  const made: Made[] = [];
  const failed: SkippedCampaign[] = [];
  for (const [at, live] of alive.entries()) {
    const [named, target] = [names[at], targets[at]];
    if (named === undefined || target === undefined) continue;
    const adopted = adoptOne({ live, named, target, ...about });
    if (typeof adopted === 'string') failed.push(skip(live.listed, adopted));
    else made.push({ live, adopted });
  }
  return {
    made,
    skipped: [...skipped, ...gone, ...failed].sort((a, b) => a.id - b.id),
    notes: [...notes, ...elsewhere(made, session), ...withoutCampaign(bare, environment.name)],
  };
}

/** A manifest holds for every environment, and the other ones may not have the campaign. */
function elsewhere(made: readonly Made[], { project, environment }: Session): string[] {
  const others = Object.keys(project.environments).filter((name) => name !== environment.name);
  if (made.length === 0 || others.length === 0) return [];
  return [
    `A manifest holds for every environment: what is not in ${others.join(', ')} yet is made there by the next apply. campaignctl list --env ${others[0]} shows it.`,
  ];
}

function withoutCampaign(manifests: readonly string[], environment: string): string[] {
  if (manifests.length === 0) return [];
  const [first = '', ...more] = manifests;
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  const verb = more.length > 0 ? 'have' : 'has';
  return [
    `${first}${rest} ${verb} no campaign in ${environment}: apply would make it. Take it out if that is not meant.`,
  ];
}

/** Reads what there is of each campaign; those that are archived or deleted are left where they are. */
async function readLive(
  chosen: readonly ListedCampaign[],
  { environment }: Session,
  { reader, entries }: Seen,
): Promise<{ alive: LiveCampaign[]; gone: SkippedCampaign[] }> {
  const answers = await readAnswers(
    reader,
    chosen.map(({ id }) => ({ id, resources: ['campaign', 'schedule', 'sequence'] })),
  );
  const known = new Map(entries.map(({ id, recorded }) => [id, recorded]));
  const alive: LiveCampaign[] = [];
  const gone: SkippedCampaign[] = [];
  for (const [at, listed] of chosen.entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    const recorded = known.get(listed.id) ?? UNKNOWN_STATE;
    const why = goneWhy({ listed, answers: answer, recorded }, environment);
    if (why === null) alive.push({ listed, answers: answer, recorded });
    else gone.push(skip(listed, why));
  }
  return { alive, gone };
}

function goneWhy(
  { listed, answers, recorded }: LiveCampaign,
  environment: Session['environment'],
): string | null {
  if (answers.campaign === null || answers.campaign.none) return 'the service lists it, and does not have it';
  const spec = { name: listed.name };
  try {
    const { word, meaning } = liveStatus({
      environment,
      recorded,
      templates: null,
      spec,
      id: listed.id,
      listed,
      answers,
    });
    return meaning === 'gone' ? `it is "${word}" in the service` : null;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

/** Files for the campaigns, and whether some of them had to make way for what is there. */
function targetsOf(
  alive: readonly LiveCampaign[],
  { project, sources }: Session,
  { dir, overwrite, cwd }: ImportRequest,
) {
  const place = manifestPlace(project, dir, cwd);
  const called = alive.map(({ listed: { id, name } }) => ({ id, name }));
  const existing = takenBasenames(project.root, place.folder);
  const basenames = chooseBasenames(
    called,
    overwrite ? basenamesIn(Object.keys(sources), place.folder) : existing,
  );
  const evasive = called.filter(
    ({ name }, at) => existing.has(slugOf(name)) && basenames[at] !== slugOf(name),
  );
  const isPlural = evasive.length > 1;
  const note = `${evasive.length} file name${isPlural ? 's were' : ' was'} taken already, so another one stands in for ${isPlural ? 'each' : 'it'}. --overwrite replaces files that belong to no manifest of the project.`;
  return {
    targets: basenames.map((basename) => ({ ...place, basename })),
    notes: evasive.length > 0 && !overwrite ? [note] : [],
  };
}

/** The manifest, or why there is none. */
function adoptOne(input: ImportInput): ImportedManifest | string {
  try {
    return importCampaign(input) ?? 'no manifest can say its name';
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

function skip({ id, name }: ListedCampaign, reason: string): SkippedCampaign {
  return { id, name, manifest: null, reason };
}

/** Live campaigns that are to be imported, by id, and those that are not. */
interface Selected {
  chosen: ListedCampaign[];
  skipped: SkippedCampaign[];
}

/**
 * The campaigns that are meant by names or ids, or all that no manifest manages yet. `managed`: manifests by the id of
 * their live campaign. Failure for a name that means none or several, and for one that is managed.
 */
function selectLive(
  wanted: readonly string[],
  listed: readonly ListedCampaign[],
  managed: ReadonlyMap<number, string>,
): Selected {
  const byId = [...listed].sort((a, b) => a.id - b.id);
  if (wanted.length === 0) {
    return {
      chosen: byId.filter(({ id }) => !managed.has(id)),
      skipped: byId.flatMap(({ id, name }) => {
        const manifest = managed.get(id);
        return manifest === undefined ? [] : [{ id, name, manifest, reason: `managed by ${manifest}` }];
      }),
    };
  }
  const ids = new Set(wanted.map((word) => meant(word, byId).id));
  const chosen = byId.filter(({ id }) => ids.has(id));
  for (const { id, name } of chosen) {
    const manifest = managed.get(id);
    if (manifest === undefined) continue;
    throw new Failure({
      code: 'already-managed',
      message: `"${name}" is managed by ${manifest} already. Nothing was written.`,
      hint: 'campaignctl import NAME --update brings changes of the service into that manifest.',
    });
  }
  return { chosen, skipped: [] };
}

function meant(word: string, listed: readonly ListedCampaign[]): ListedCampaign {
  const byId = /^\d+$/.test(word) ? listed.find(({ id }) => id === Number(word)) : undefined;
  const exact = listed.filter(({ name }) => name === word);
  const near = exact.length > 0 ? exact : listed.filter(({ name }) => name.trim() === word.trim());
  const [only, ...others] = byId !== undefined ? [byId] : near;
  if (only === undefined) throw unknown(word, listed);
  if (others.length === 0) return only;
  const ids = [only, ...others].map(({ id }) => id);
  throw new Failure({
    code: 'ambiguous-name',
    message: `The service has ${ids.length} campaigns called "${word}": ${ids.join(', ')}. Nothing was written.`,
    hint: `Name the one you mean by its id: campaignctl import ${ids[0]}.`,
  });
}

function unknown(word: string, listed: readonly ListedCampaign[]): Failure {
  const names = listed.map(({ name }) => name);
  const near =
    nearest(word, names) ?? names.find((name) => name.toLowerCase().includes(word.toLowerCase())) ?? null;
  return new Failure({
    code: 'unknown-campaign',
    message: `The service has no campaign ${/^\d+$/.test(word) ? `with the id or name ${word}` : `called "${word}"`}. Nothing was written.`,
    hint:
      near === null ? 'campaignctl import --all --dry-run shows what there is.' : `Did you mean "${near}"?`,
  });
}
