import { join, resolve } from 'node:path';
import { type CalendarStart, type CampaignCalendar, specCalendar } from '../../email/calendar.js';
import { writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { LocatedFinding } from '../../model/problem.js';
import type { Campaign } from '../../model/spec.js';
import { loadCampaigns, readProject, selectEnvironment } from '../../project/index.js';
import { renderFailureText } from '../../view/failure-text.js';
import {
  type PageScript,
  renderPreviewHtml,
  renderTroubleHtml,
  usedVariables,
} from '../../view/html/index.js';
import { count, printable, renderCalendarMarkdown, renderCalendarText } from '../../view/index.js';
import { plain } from '../../view/terminal.js';
import type { CommonFlags } from '../flags.js';
import { readLeads } from '../lead-file.js';
import { type PageServer, servePage } from '../preview-server.js';
import type { Shell } from '../shell.js';
import { watchFiles } from '../watch.js';

export interface PreviewFlags extends CommonFlags {
  files: string[];
  /** The page, or the sending calendar alone. */
  format: 'html' | 'text' | 'markdown';
  /** File of the page; null: stdout. */
  out: string | null;
  /** File with people to show the emails to; null: invented ones. */
  lead: string | null;
  /** How many leads the sending calendar counts with; null: not known. */
  leads: number | null;
  watch: boolean;
  port: number;
}

/** Shows the emails of manifests as recipients get them. Needs neither service nor token. */
export async function preview(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  if (flags.watch) return serve(flags, shell);
  const { shown, warnings } = await render(flags, shell, { script: null, follow: () => undefined });
  if (warnings > 0)
    shell.err(`${count(warnings, 'warning')} in the manifests; campaignctl validate shows them.\n`);
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
      `Port ${port} cannot be used: ${said(error)}.`,
      'Choose another with --port, or 0 for any free one.',
    );
  }
}

/** How a page is made: `follow` is told every file that it comes from, also where one of them is wrong. */
interface Making {
  script: PageScript | null;
  follow(files: readonly string[]): void;
}

async function render(
  { config, env, files, lead, leads, format }: PreviewFlags,
  shell: Shell,
  { script, follow }: Making,
): Promise<{ shown: string; warnings: number }> {
  const { cwd } = shell;
  const project = readProject({ cwd, config });
  const environment = selectEnvironment(project, env ?? (shell.env.CAMPAIGNCTL_ENV || null));
  const loaded = await loadCampaigns(project, { environments: [environment], files, cwd });
  const sources = [project.file, ...Object.keys(loaded.sources)].map((file) => join(project.root, file));
  follow([...sources, ...(lead === null ? [] : [resolve(cwd, lead)])]);
  stopOnErrors(loaded.findings);
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const variables = usedVariables(campaigns.map(({ spec }) => spec));
  const people = lead === null ? null : readLeads(lead, cwd, variables);
  const calendars = calendarsOf(campaigns, { from: shell.now(), leads });
  const warnings = loaded.findings.length;
  if (format !== 'html') return { shown: calendarAs(format, Object.values(calendars), shell), warnings };
  const shown = renderPreviewHtml({
    environment: environment.name,
    campaigns,
    leads: people,
    calendars,
    script,
  });
  return { shown, warnings };
}

/** The calendars of the campaigns that have one. */
function calendarsOf(campaigns: readonly Campaign[], start: CalendarStart): Record<string, CampaignCalendar> {
  return Object.fromEntries(
    campaigns.flatMap(({ manifest, spec }) => {
      const calendar = specCalendar(spec, start);
      return calendar === null ? [] : [[manifest, calendar]];
    }),
  );
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
      'What hours a template has is known to the service only.',
    );
  }
  return format === 'markdown'
    ? renderCalendarMarkdown(calendars)
    : renderCalendarText(calendars, shell.onOut);
}

function stopOnErrors(findings: readonly LocatedFinding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const message = `The manifests have ${count(errors.length, 'error')}.`;
  throw new Failure(
    { code: 'invalid-manifests', message, hint: 'Correct them first.' },
    { findings: errors },
  );
}

async function writePage(file: string, html: string, { cwd }: Shell): Promise<void> {
  await writeAtomic(resolve(cwd, file), html).catch((error: unknown) => {
    throw usage(`The page cannot be written to ${file}: ${said(error)}.`, 'Check the path after --out.');
  });
}

function usage(message: string, hint: string): Failure {
  return new Failure({ code: 'usage', message, hint });
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
