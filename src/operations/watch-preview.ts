import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CsvTable } from '../email/csv.js';
import { Failure } from '../model/failure.js';
import type { PreviewedCampaign } from '../model/preview.js';
import { findManifests } from '../project/manifests.js';
import { openManifests } from '../project/open-manifests.js';
import { readProject } from '../project/project.js';
import { isFailure } from '../view/problems.js';
import { readLeads } from './lead-file.js';
import { type Preview, type PreviewRequest, previewedEnvironments, previewOpened } from './preview.js';
import type { World } from './world.js';

/**
 * `version` grows with each visible change. `known`: each campaign as it was when it was last valid. `failure`: why nothing can
 * be previewed now; `preview` is then the last one.
 */
export interface WatchedPreview {
  version: number;
  preview: Preview;
  known: PreviewedCampaign[];
  failure: Failure | null;
}

/** Loads the preview again if a file changed that it was made from. Fails if the first one cannot be loaded. */
export async function watchPreview(
  request: PreviewRequest,
  world: World,
): Promise<() => Promise<WatchedPreview>> {
  let began = Date.now();
  let loaded = await load(request, world, null);
  let seen = await settled(loaded, began);
  const { preview } = loaded;
  let shown: WatchedPreview = { version: 1, preview, known: preview.campaigns, failure: null };
  let checked = Date.now();
  const check = async (): Promise<WatchedPreview> => {
    if ((await signatureOf(loaded)).text !== seen) {
      began = Date.now();
      const next = await load(request, world, loaded).catch(refusal);
      if (!(next instanceof Failure)) loaded = next;
      shown = changed(shown, { preview: loaded.preview, failure: next instanceof Failure ? next : null });
      seen = await settled(loaded, began);
    }
    checked = Date.now();
    return shown;
  };
  let checking: Promise<WatchedPreview> | null = null;
  return () => {
    if (checking === null && Date.now() - checked < PAUSE) return Promise.resolve(shown);
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  };
}

/** Minimum time between two checks, in milliseconds, however many pages are open. */
const PAUSE = 100;

/** A file that changed within this time, in milliseconds, may change again without another size or time. */
const RECENT = 2_000;

function refusal(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

function changed(shown: WatchedPreview, next: Pick<WatchedPreview, 'preview' | 'failure'>): WatchedPreview {
  const text = ({ preview, failure }: typeof next) =>
    JSON.stringify([preview.campaigns, preview.findings, preview.leads?.report, failure, failure?.message]);
  const isSame = shown.preview.leads?.table === next.preview.leads?.table && text(shown) === text(next);
  const places = new Set(next.preview.campaigns.map(({ place }) => place));
  const isSound = (source: PreviewedCampaign['source']) =>
    !next.preview.problems.get(source?.file ?? '')?.some(isFailure);
  const lost = shown.known.filter(({ place, source }) => !places.has(place) && !isSound(source));
  const known = [...lost, ...next.preview.campaigns];
  return { version: shown.version + (isSame ? 0 : 1), known, ...next };
}

/** `csv`: the table, and the signature of the file when it was read. `paths`: of all files. `list`: the manifests, as text. */
interface Loaded {
  preview: Preview;
  csv: { table: CsvTable; mark: string } | null;
  paths: readonly string[];
  list(): Promise<string>;
}

async function load(request: PreviewRequest, world: World, before: Loaded | null): Promise<Loaded> {
  const { cwd, env } = world;
  const { files, leads } = request;
  const manifests = openManifests(await readProject({ ...request, cwd, env }));
  const { project, requested } = manifests;
  const leadsPath = leads === null ? null : resolve(cwd, leads);
  const mark = leadsPath === null ? '' : (await fileMark(leadsPath)).text;
  const known = before?.csv ?? null;
  const table = leads === null ? null : known?.mark === mark ? known.table : readLeads(leads, cwd);
  const preview = await previewOpened({ ...request, manifests }, table, world);
  const environments = previewedEnvironments(project, request, world);
  const configs = [project.file, project.extended?.file ?? project.file];
  return {
    preview,
    csv: table && { table, mark },
    paths: [...configs, ...requested].map((file) => join(project.root, file)).concat(leadsPath ?? []),
    list: async () => JSON.stringify((await findManifests(project, { files, cwd, environments })).all),
  };
}

/** '' if a file changed so recently that the preview has to be loaded again to be certain. */
async function settled(loaded: Loaded, began: number): Promise<string> {
  const { text, newest } = await signatureOf(loaded);
  const isRecent = newest > began - RECENT && newest <= Date.now() + RECENT;
  return isRecent ? '' : text;
}

/** `newest`: the latest change, in milliseconds since 1970. */
interface Signature {
  text: string;
  newest: number;
}

async function signatureOf({ paths, list }: Loaded): Promise<Signature> {
  const marks = await Promise.all([...new Set(paths)].map(fileMark));
  const names = await list().catch(() => 'none');
  return {
    text: [...marks.map(({ text }) => text), names].join('\n'),
    newest: Math.max(0, ...marks.map(({ newest }) => newest)),
  };
}

async function fileMark(path: string): Promise<Signature> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { text: `${path} none`, newest: 0 };
  const { ino, size, mtimeMs, ctimeMs } = found;
  return { text: [path, ino, size, mtimeMs, ctimeMs].join(' '), newest: mtimeMs };
}
