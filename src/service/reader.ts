import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { EXIT, Failure, UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { type LiveParts, NOT_READ, type Template, UNREAD } from '../model/live.js';
import type { ReportProgress } from '../model/progress.js';
import { sideBySide } from '../model/side-by-side.js';
import type { Channel } from './channel.js';
import {
  campaignId,
  decodeListed,
  decodeRecord,
  decodeSequence,
  findRefusal,
  isNothing,
  otherJson,
  type Received,
  readId,
  unreadable,
  unwrap,
} from './decode.js';
import { decodePart, decodeTemplate } from './live.js';
import { hasMore, readPageInfo } from './page-info.js';
import { type PagedList, readSome, readWhole } from './paging.js';
import { readPath } from './read-path.js';

export interface Reader {
  /** Fails if the list is not provably complete. */
  campaigns(report?: ReportProgress): Promise<ListedCampaign[]>;
  /**
   * Adds whatever can be read of the list to `rows`, skipping unreadable rows and keeping repeated ones. Resolves with why
   * rows may be missing, or with `null`. Fails only if it is interrupted.
   */
  someCampaigns(rows: ListedCampaign[]): Promise<string | null>;
  read<Name extends AnswerName>(name: Name, id: number): Promise<LiveParts[Name]>;
  templates(): Promise<Template[]>;
  /** Announces the time that so many reads take at least because of the rate limit. */
  expect(reads: number): void;
  /**
   * Ends all requests: reads fail with code `interrupted`, queued writes stay unsent, and writes in flight are in doubt.
   */
  close(): Promise<void>;
}

const PATHS: Record<AnswerName, string> = {
  campaign: '',
  schedule: '/schedule',
  sequence: '/sequence-steps',
};

/** Statuses with which services answer for a campaign without a schedule or emails. */
const NONE_OR_FAULT = [400, 404, 422];

export function createReader(channel: Channel): Reader {
  const base = `${channel.prefix}/api/campaigns`;
  return {
    campaigns: (report) => readWhole(channel, campaignList(base), report),
    async someCampaigns(rows) {
      let odd: string | null = null;
      const list = campaignList(base, (reason) => {
        odd ??= reason;
      });
      return (await readSome(channel, list, rows)) ?? odd;
    },
    async read<Name extends AnswerName>(name: Name, id: number): Promise<LiveParts[Name]> {
      const path = `${base}/${id}${PATHS[name]}`;
      const reading = await readPath(channel, path, name === 'campaign' ? [404] : NONE_OR_FAULT);
      const decode = {
        campaign: () => ownCampaign(reading, id),
        schedule: () => decodeRecord(reading, 'schedule'),
        sequence: () => ownSequence(reading),
      }[name];
      const isError = reading.status >= 400;
      const body: Json = isError ? null : decode();
      return decodePart(name, {
        endpoint: reading.endpoint,
        body,
        leak: reading.leak,
        ...(body === null && { answered: emptyForm(reading, name) }),
        unproven: isError && name !== 'campaign',
      });
    },
    async templates() {
      const path = `${base}/schedule/templates`;
      return readWhole(channel, templateList(path));
    },
    expect: (reads) => channel.expect(reads),
    close: () => channel.close(),
  };
}

function emptyForm({ status, body }: Received, name: AnswerName): string {
  if (status >= 400) return `HTTP ${status}`;
  return findRefusal(body) === null ? JSON.stringify(unwrap(body, name).inner) : 'success: false';
}

function ownCampaign(reading: Received, id: number): JsonObject | null {
  const record = decodeRecord(reading, 'campaign');
  const seen = record === null ? null : campaignId(record);
  if (seen !== null && seen !== id) throw unreadable(reading, `expected campaign ${id}`, { id: seen });
  return record;
}

/** Fails if the steps may continue on another page: a part of a sequence is never treated as the sequence. */
function ownSequence(reading: Received): JsonObject | null {
  const sequence = decodeSequence(reading);
  const { layers } = unwrap(reading.body, 'sequence');
  if (!hasMore(readPageInfo(layers, reading.headers), sequence?.steps.length ?? 0)) return sequence;
  const field = 'the sequence steps are on several pages';
  const hint =
    'campaignctl reads the steps of a campaign only if the service returns all of them in one response.';
  throw new UnreadableAnswer(reading.url, field, null, reading.connection.sentence, hint);
}

/**
 * GET /api/campaigns. A missing list is an error, unless a message says that no campaigns exist. With `onOdd`, an unreadable
 * row is skipped.
 */
function campaignList(path: string, onOdd?: (reason: string) => void): PagedList<ListedCampaign> {
  return {
    label: 'The list of campaigns',
    path,
    accepted: [],
    contradicts: (first, again) => first.name !== again.name,
    decode(reading) {
      const { inner, layers } = unwrap(reading.body, 'campaigns');
      const list = Array.isArray(inner) ? inner : findRefusal(reading.body) ? [] : null;
      if (list === null) throw otherJson(reading, 'a list of campaigns is missing', inner);
      const rows = list.flatMap((each): ListedCampaign[] => {
        try {
          return [decodeListed(reading, each)];
        } catch (error) {
          if (onOdd === undefined || !(error instanceof UnreadableAnswer)) throw error;
          onOdd(error.message);
          return [];
        }
      });
      return { rows: rows.map((row) => ({ key: String(row.id), row })), layers };
    },
  };
}

function templateList(path: string): PagedList<Template> {
  return {
    label: 'The list of schedule templates',
    path,
    accepted: [404],
    decode(reading) {
      const { inner, layers } = unwrap(reading.body, 'templates');
      const none = reading.status === 404 || isNothing(inner) || findRefusal(reading.body) !== null;
      const rows = (none ? [] : Array.isArray(inner) ? inner : [inner]).map((row) => {
        if (!isObject(row)) throw unreadable(reading, 'a schedule template is not an object', row);
        const id = readId(row.id);
        if (id === null) throw unreadable(reading, 'a schedule template has no usable id', row.id);
        return { key: String(id), row: decodeTemplate(`GET ${path}`, id, row) };
      });
      return { rows, layers };
    },
  };
}

const CAMPAIGNS_AT_ONCE = 64;

/** `shows`: those of `names` that count as not read if they cannot be read. */
export interface WantedAnswers {
  id: number;
  names: readonly AnswerName[];
  shows?: readonly AnswerName[];
}

export async function readCampaigns(
  reader: Reader,
  wanted: readonly WantedAnswers[],
  report?: ReportProgress,
): Promise<LiveParts[]> {
  const parts: LiveParts[] = new Array(wanted.length);
  let done = 0;
  const tell = () => report?.({ doing: 'campaigns', done, total: wanted.length, about: null });
  if (wanted.length > 0) tell();
  reader.expect(wanted.reduce((sum, { names }) => sum + names.length, 0));
  await sideBySide(wanted.entries(), CAMPAIGNS_AT_ONCE, async ([index, { id, names, shows = [] }]) => {
    parts[index] = await readCampaign(lenient(reader, shows), id, names);
    done += 1;
    tell();
  });
  return parts;
}

/** Parts named in `shows` count as not read if they cannot be read, unless the reading was interrupted. */
function lenient(reader: Reader, shows: readonly AnswerName[]): Pick<Reader, 'read'> {
  if (shows.length === 0) return reader;
  return {
    read: (name, id) =>
      reader.read(name, id).catch((error): typeof NOT_READ => {
        const isRefused = error instanceof Failure && error.exitCode !== EXIT.interrupted;
        if (!isRefused || !shows.includes(name)) throw error;
        return NOT_READ;
      }),
  };
}

/** `known`: parts that are not read again. */
export async function readCampaign(
  reader: Pick<Reader, 'read'>,
  id: number,
  names: readonly AnswerName[],
  known: LiveParts = UNREAD,
): Promise<LiveParts> {
  const read = async <Name extends AnswerName>(name: Name): Promise<LiveParts[Name]> =>
    names.includes(name) && known[name].is === 'not-read' ? reader.read(name, id) : known[name];
  const [campaign, schedule, sequence] = await Promise.all([
    read('campaign'),
    read('schedule'),
    read('sequence'),
  ]);
  return { campaign, schedule, sequence };
}
