import { selectLive } from '../import/select.js';
import type { ListedCampaign } from '../model/answer.js';
import { serviceHead } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import { type LiveParts, NOT_READ, type Shown } from '../model/live.js';
import type { LiveSource, PreviewedCampaign } from '../model/preview.js';
import { checkWorkspace } from '../plan/refresh.js';
import { knownVariables } from '../rules/variables.js';
import { type Reader, readCampaigns } from '../service/index.js';
import { serviceWords } from '../view/words.js';
import { withReader } from './connect.js';
import { matchLeads, readLeads } from './lead-file.js';
import { openPlace } from './place.js';
import type { Preview, PreviewRequest } from './preview.js';
import type { Interrupt, World } from './world.js';

/** Only reads. `files` of the request: names, ids or patterns of campaigns; empty for all. */
export async function previewLive(
  request: PreviewRequest,
  world: World,
  { guard }: Interrupt,
): Promise<Preview & { live: LiveSource }> {
  const { leads: file, files: words } = request;
  const place = await openPlace(request, world);
  const table = file === null ? null : readLeads(file, world.cwd);
  const { environment } = place;
  const read = await guard(
    withReader(place, async (reader) => {
      await checkWorkspace(environment, reader);
      const rows = await reader.campaigns(world.report);
      const none = { managed: new Map(), successors: new Map(), status: null };
      const read = await readEmails(selectLive(words, rows, none).chosen, reader, world);
      const variables = knownVariables(environment);
      return { ...read, campaigns: read.campaigns.map((campaign) => ({ ...campaign, variables })) };
    }),
  );
  const { name } = environment;
  const leads =
    table === null ? null : matchLeads(table, read.campaigns, { environment: name, file: file ?? '' });
  const { campaigns, unread } = read;
  const live = {
    service: environment.sandbox === null ? serviceWords(serviceHead(environment)) : 'the sandbox',
    unread,
  };
  return {
    environment: name,
    campaigns,
    findings: [],
    project: place.project,
    problems: new Map(),
    scopes: new Map(),
    leads,
    live,
  };
}

async function readEmails(
  rows: readonly ListedCampaign[],
  reader: Reader,
  { report }: World,
): Promise<Pick<Preview, 'campaigns'> & Pick<LiveSource, 'unread'>> {
  const reasons = new Map<number, string[]>();
  const note = (id: number, reason: string) => reasons.set(id, [...(reasons.get(id) ?? []), reason]);
  const lenient: Reader = {
    ...reader,
    read: (part, id) =>
      reader.read(part, id).catch((error: unknown): typeof NOT_READ => {
        if (!(error instanceof Failure) || error.exitCode === EXIT.interrupted) throw error;
        note(id, error.message);
        return NOT_READ;
      }),
  };
  const names = ['campaign', 'schedule', 'sequence'] as const;
  const parts = await readCampaigns(
    lenient,
    rows.map(({ id }) => ({ id, names })),
    report,
  );
  const campaigns = rows.flatMap((row, at) => {
    const shown = parts[at];
    return shown === undefined ? [] : previewedLive(row, shown, (reason) => note(row.id, reason));
  });
  const unread = rows.flatMap(({ id, name }) => {
    const all = reasons.get(id);
    return all === undefined ? [] : [{ id, name, reason: [...new Set(all)].join(' ') }];
  });
  return { campaigns, unread };
}

function previewedLive(
  { id, name, status }: ListedCampaign,
  { campaign, schedule, sequence }: LiveParts,
  note: (reason: string) => void,
): PreviewedCampaign[] {
  const shownIn = <T>(part: Shown<T>): T | null => {
    if (part.is === 'unreadable') note(part.error.message);
    return part.is === 'shown' ? part.value : null;
  };
  const record = shownIn(campaign);
  const settings = record === null ? null : shownIn(record.settings);
  const shownStatus = status ?? (record === null ? null : shownIn(record.status));
  const [hours, emails] = [shownIn(schedule), shownIn(sequence)];
  if (sequence.is === 'unreadable' || sequence.is === 'not-read') return [];
  return [
    {
      name,
      place: `id ${id}${shownStatus === null ? '' : `, ${shownStatus}`}`,
      source: null,
      ...(settings && { settings }),
      ...(hours && { schedule: hours }),
      sequence: emails,
    },
  ];
}
