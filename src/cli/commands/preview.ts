import { type FSWatcher, watch } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { type CampaignCalendar, specCalendar } from '../../email/calendar.js';
import { decodeLeads, usedVariables } from '../../email/leads.js';
import type { SampleLead } from '../../email/mail.js';
import { writeAtomic } from '../../files/atomic.js';
import { fileWording, LIMITS, parseYaml } from '../../manifest/index.js';
import { EXIT, type ExitCode, Failure, messageOf, usage } from '../../model/failure.js';
import type { Calendars, LocatedFinding } from '../../model/outputs.js';
import { openPlace, stopOnErrors, tellWarnings } from '../../operations/session.js';
import { readText } from '../../project/files.js';
import { loadCampaigns, selectedOf } from '../../project/index.js';
import type { PageScript } from '../../view/html-page.js';
import { printable, renderCalendarMarkdown, renderCalendarText } from '../../view/index.js';
import { renderPreviewHtml, renderTroubleHtml } from '../../view/preview-html.js';
import { renderFailureText } from '../../view/problems.js';
import { plain, renderJson } from '../../view/terminal.js';
import { defineCommand, type Flags, files, flag, formats, text, whole } from '../options.js';
import type { Shell } from '../shell.js';

const positionals = { files };
const options = {
  format: formats(['html', 'text', 'json', 'markdown'], 'html', 'The page, or the sending calendar alone'),
  out: text('Write it to this file; default: stdout'),
  lead: text('YAML or JSON file of leads to render the emails for; default: invented ones'),
  leads: whole(0, null, 'Number of leads for the sending calendar'),
  watch: flag('Serve the page on this machine and reload it after each save'),
  port: whole(0, 0, 'Port for --watch; 0: any free port'),
};
export type PreviewFlags = Flags<typeof positionals & typeof options>;

export const command = defineCommand({
  positionals,
  options,
  examples: [
    ['campaignctl preview --out preview.html', 'a page to look at or to pass on'],
    ['campaignctl preview --watch', 'write on one side, look on the other'],
    ['campaignctl preview --lead people.yaml --out preview.html', 'as these people would get it'],
    ['campaignctl preview --format text --leads 1200', 'when each email goes out, and how long it takes'],
  ],
  run: preview,
});

/** Shows the emails of manifests as recipients get them. Needs neither service nor token. */
async function preview(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  if (flags.watch) return serve(flags, shell);
  const { shown, warnings } = await render(flags, shell, { script: null, follow: () => undefined });
  tellWarnings(warnings, shell);
  if (flags.out === null) shell.out(shown);
  else {
    await writePage(flags.out, printable(shown), shell);
    shell.err(`Wrote ${flags.out}${flags.format === 'html' ? ': open it in a browser' : ''}.\n`);
  }
  return EXIT.ok;
}

/** Serves the page until it is interrupted; it loads again whenever one of its files was saved. */
async function serve(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  if (flags.format !== 'html')
    throw usage(
      `--watch serves a page; it does not go with --format ${flags.format}.`,
      'Leave one of them out.',
    );
  if (flags.out !== null)
    throw usage('--watch serves the page; it does not go with --out.', 'Leave one of them out.');
  let server: PageServer | null = null;
  const watch = watchFiles(() => server?.reload());
  const show = async (script: PageScript | null): Promise<string> => {
    try {
      return (await render(flags, shell, { script, follow: watch.follow })).shown;
    } catch (error) {
      // What is wrong with a file is corrected while we watch. At the start, nothing else is worth to wait for.
      if (!(error instanceof Failure) || (script === null && error.findings.length === 0)) throw error;
      return renderTroubleHtml(renderFailureText(error, { paint: plain, width: 100 }), script);
    }
  };
  try {
    await show(null);
    server = await listen(flags.port, show);
    shell.err(`Preview at ${server.url}; it follows every save. Stop with Ctrl-C.\n`);
    await new Promise<void>((stop) => shell.onInterrupt(stop));
    return EXIT.ok;
  } finally {
    watch.close();
    await server?.close();
  }
}

async function listen(port: number, show: (script: PageScript) => Promise<string>): Promise<PageServer> {
  try {
    return await servePage(port, show);
  } catch (error) {
    throw usage(
      `Port ${port} cannot be used: ${messageOf(error)}.`,
      'Choose another with --port, or 0 for any free one.',
    );
  }
}

/** How a page is made: `follow` is told every file that it comes from, also where one of them is wrong. */
interface PageBuild {
  script: PageScript | null;
  follow(files: readonly string[]): void;
}

async function render(
  { files, lead, leads, format, ...flags }: PreviewFlags,
  shell: Shell,
  { script, follow }: PageBuild,
): Promise<{ shown: string; warnings: readonly LocatedFinding[] }> {
  const { cwd } = shell;
  const { project, environment } = await openPlace(flags, shell);
  const loaded = selectedOf(await loadCampaigns(project, { environments: [environment], files, cwd }));
  const sources = [project.file, ...loaded.files].map((file) => join(project.root, file));
  follow([...sources, ...(lead === null ? [] : [resolve(cwd, lead)])]);
  stopOnErrors(loaded.findings, 'Correct them first.');
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const calendars = campaigns.flatMap(({ manifest, spec }) => {
    const calendar = specCalendar(spec, { from: shell.now(), leads });
    return calendar === null ? [] : [[manifest, calendar] as const];
  });
  const people =
    lead === null ? null : readLeads(lead, cwd, usedVariables(campaigns.map(({ spec }) => spec)));
  const shown =
    format === 'html'
      ? renderPreviewHtml({
          ...{ environment: environment.name, campaigns, leads: people, script },
          calendars: Object.fromEntries(calendars),
        })
      : format === 'json'
        ? renderJson(calendarsOf(environment.name, calendars))
        : calendarAs(
            format,
            calendars.map(([, calendar]) => calendar),
            shell,
          );
  return { shown, warnings: loaded.findings };
}

/** Reads leads to show emails to: YAML or JSON, one person or several. `file` as it was given, `cwd` where. */
function readLeads(file: string, cwd: string, variables: readonly string[]): SampleLead[] {
  const read = readText(resolve(cwd, file), LIMITS.manifest);
  if (!('text' in read)) throw unusable(file, fileWording(read.problem, file, LIMITS.manifest).message);
  const { documents, findings } = parseYaml(file, read.text);
  const [finding] = findings;
  if (finding !== undefined) throw unusable(file, finding.message);
  const people = documents.flatMap(({ value }) => value);
  const decoded = decodeLeads(people, variables);
  if ('wrong' in decoded) throw unusable(file, decoded.wrong);
  return decoded.leads;
}

function unusable(file: string, reason: string): Failure {
  return new Failure({
    code: 'lead-file-unusable',
    message: `The lead file ${file} cannot be used: ${reason}`,
    hint: 'Write one person or a list of people, each with variables and values: FIRST_NAME: Anna.',
  });
}

/** The sending calendars for programs; of a campaign whose hours are not known there is none. */
function calendarsOf(
  environment: string,
  calendars: readonly (readonly [manifest: string, CampaignCalendar])[],
): Calendars {
  const timeOf = (at: number) => new Date(at).toISOString();
  const campaigns = calendars.map(([manifest, { name, steps, forecast }]) => ({
    ...{ manifest, name },
    emails: steps.map(({ step, wait, subject, window }) => ({
      step,
      wait_in_days: wait,
      subject,
      date: window.date,
      ...{ start_at: timeOf(window.start), end_at: timeOf(window.end) },
    })),
    forecast:
      forecast === null
        ? null
        : {
            leads: forecast.leads,
            emails: forecast.emails,
            unsent: forecast.unsent,
            sending_days: forecast.sending_days,
            first_at: timeOf(forecast.first),
            last_at: timeOf(forecast.last),
          },
  }));
  return { version: 1, environment, campaigns };
}

/** The sending calendars alone. */
function calendarAs(
  format: 'text' | 'markdown',
  calendars: readonly CampaignCalendar[],
  shell: Shell,
): string {
  if (calendars.length === 0) {
    throw usage(
      'No campaign has emails and a schedule of its own, so there is no sending calendar.',
      'Only the service knows the hours of a schedule template.',
    );
  }
  return format === 'markdown'
    ? renderCalendarMarkdown(calendars)
    : renderCalendarText(calendars, shell.onOut);
}

async function writePage(file: string, html: string, { cwd }: Shell): Promise<void> {
  await writeAtomic(resolve(cwd, file), html).catch((error: unknown) => {
    throw usage(`The page cannot be written to ${file}: ${messageOf(error)}.`, 'Check the path after --out.');
  });
}

/** A page that is served on loopback, and made anew for each request. `reload` makes every open one load again. */
interface PageServer {
  url: string;
  reload(): void;
  close(): Promise<void>;
}

/** Loads the page again when told to; what was unfolded, folded and chosen stays so. */
const SOURCE = `
const key = 'campaignctl';
const folds = () => [...document.querySelectorAll('details')];
const choice = () => document.querySelector('input[name=lead]:checked')?.id;
addEventListener('pagehide', () => sessionStorage.setItem(key, JSON.stringify({ open: folds().map((fold) => fold.open), choice: choice() })));
const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null');
if (kept) folds().forEach((fold, at) => { fold.open = kept.open[at] ?? fold.open; });
const chosen = kept?.choice ? document.getElementById(kept.choice) : null;
if (chosen) chosen.checked = true;
new EventSource('/changes').addEventListener('message', () => location.reload());
`;

/**
 * Serves what `render` makes, to this machine only. A host name of another server that points here is refused: a page of
 * theirs could read ours otherwise. Throws what listening throws, such as a port that is taken.
 */
export async function servePage(
  port: number,
  render: (script: PageScript) => Promise<string>,
): Promise<PageServer> {
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => say(response, 500, `${error}\n`));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (!isOurs(request, portOf(server.address())))
      return say(response, 403, 'This page is for this machine only.\n');
    if (method !== 'GET') return say(response, 405, 'This page can only be read.\n');
    if (url === '/changes') return wait(request, response);
    if (url !== '/') return say(response, 404, 'There is only one page: /\n');
    const page = await render({ source: SOURCE, connects: true });
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  }

  /** Keeps the answer open: each message in it is a change. */
  function wait(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    waiting.add(response);
    request.on('close', () => waiting.delete(response));
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/`,
    reload: () => {
      for (const response of waiting) response.write('data: changed\n\n');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

function isOurs({ headers }: IncomingMessage, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(headers.host ?? '');
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Milliseconds in which a save is one change, however many writes it takes. */
const AT_ONCE = 80;

/** Watches the folders of some files; `follow` says which files matter from now on. */
interface FileWatch {
  follow(files: readonly string[]): void;
  close(): void;
}

/** Calls `changed` after something in a folder of these files was written. Folders, since editors replace files. */
function watchFiles(changed: () => void): FileWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(changed, AT_ONCE);
  };
  const open = (folder: string): void => {
    try {
      watchers.set(
        folder,
        watch(folder, soon).on('error', () => forget(folder)),
      );
    } catch {
      // A folder that has gone: the next look at the project says so.
    }
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    follow(files) {
      const folders = new Set(files.map((file) => dirname(file)));
      for (const folder of watchers.keys()) if (!folders.has(folder)) forget(folder);
      for (const folder of folders) if (!watchers.has(folder)) open(folder);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}
