import { resolve } from 'node:path';
import type { CampaignCalendar } from '../../email/calendar.js';
import { writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, Failure, messageOf, usage } from '../../model/failure.js';
import type { LocatedFinding } from '../../model/outputs.js';
import { previewProject } from '../../operations/preview.js';
import { tellWarnings } from '../../operations/session.js';
import type { PageScript } from '../../view/html-page.js';
import { printable, renderCalendarMarkdown, renderCalendarText } from '../../view/index.js';
import { renderPreviewHtml, renderTroubleHtml } from '../../view/preview-html.js';
import { renderFailureText } from '../../view/problems.js';
import { plain } from '../../view/terminal.js';
import { choice, defineCommand, type Flags, files, flag, text, whole } from '../options.js';
import { type PageServer, servePage, watchFiles } from '../serve.js';
import type { Shell } from '../shell.js';

const positionals = { files };
const options = {
  format: choice(['html', 'text', 'markdown'], 'html', 'The page, or the sending calendar alone'),
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
  flags: PreviewFlags,
  shell: Shell,
  { script, follow }: PageBuild,
): Promise<{ shown: string; warnings: readonly LocatedFinding[] }> {
  const { format } = flags;
  const { warnings, ...preview } = await previewProject(flags, shell, follow);
  const calendars = Object.values(preview.calendars);
  const shown =
    format === 'html' ? renderPreviewHtml({ ...preview, script }) : calendarAs(format, calendars, shell);
  return { shown, warnings };
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
