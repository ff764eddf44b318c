import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { leadStep, leadsToShow } from '../../operations/lead-file.js';
import { type Preview, previewManifests, previewOpened } from '../../operations/preview.js';
import { previewLive } from '../../operations/preview-live.js';
import { worstExit } from '../../operations/projects.js';
import { stopOnErrors, tellWarnings } from '../../operations/validate.js';
import { type WatchedPreview, watchPreview } from '../../operations/watch-preview.js';
import { leadWarnings, renderLeadsText } from '../../view/leads.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import { renderFailureText } from '../../view/problems.js';
import { renderJson, visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { servePages } from '../page-server.js';
import { PREVIEW_SCRIPT } from '../preview-script.js';
import { type Shell, watchInterrupts } from '../shell.js';

type PreviewFlags = Flags<'preview'>;

export async function run(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  refuseUseless(flags);
  refuseTerminal(flags, shell);
  if (isRecursive(flags, shell)) return previewAll(flags, shell);
  if (flags.serve) return serve(flags, shell);
  if (flags.live) return live(flags, shell);
  const preview = await previewManifests(flags, shell);
  stopOnErrors(preview.findings, 'Correct the manifests first.');
  print(preview, flags, shell);
  tellWarnings(preview.findings, preview.project, shell);
  return EXIT.ok;
}

/** One page for several projects. */
async function previewAll(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const { leads, live: isLive, serve: isServed } = flags;
  const single = leads !== null ? '--leads' : isLive ? '--live' : isServed ? '--serve' : null;
  if (single !== null)
    throw usage(
      `preview shows several projects only as their manifests are; it cannot be combined with ${single}.`,
      flags.recursive
        ? `Remove ${single}, or run it for one project: campaignctl preview -C FOLDER ${single}.`
        : `Remove ${single}, or choose one environment: campaignctl preview --env NAME ${single}.`,
    );
  const { chooseProjects, inProjects } = await import('../projects.js');
  const { failuresBlock, namesOf, projectName } = await import('../../view/projects.js');
  const chosen = await chooseProjects(flags, shell, { whole: 'unless-chosen' });
  const runs = await inProjects(chosen, flags, shell, async ({ unit, flags: inUnit, shell: unitShell }) => {
    const result = await previewOpened({ ...inUnit, manifests: unit.manifests }, null, unitShell);
    stopOnErrors(result.findings, 'Correct the manifests first.');
    tellWarnings(result.findings, result.project, unitShell);
    return { code: EXIT.ok, result };
  });
  const isWhole = runs.some(({ environment, failure }) => environment === null && failure === null);
  const { common, nameOf } = isWhole ? { common: null, nameOf: projectName } : namesOf(runs);
  const campaigns = runs.flatMap((part) =>
    (part.result?.campaigns ?? []).map((campaign) => ({
      ...campaign,
      ...{ project: nameOf(part), place: `${part.project}/${campaign.place}` },
    })),
  );
  const all = { environment: common, campaigns, leads: null, live: null, served: null };
  const failures = failuresBlock(runs, 'a preview', nameOf);
  shell.out(renderPreviewHtml({ ...all, failures }));
  // The page is in a file.
  for (const { names, failure } of failures.flatMap((block) => block.failures))
    shell.fail(`${names.join(', ')}: ${renderFailureText(failure, shell.onErr)}`);
  return worstExit(runs.map(({ exit_code }) => exit_code));
}

/** Ends with an error if something could not be read, after what could be. */
async function live(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const preview = await previewLive(flags, shell, watchInterrupts(shell));
  print(preview, flags, shell);
  for (const { id, name, reason } of preview.live.unread)
    shell.fail(`! ${visibleLine(`${name} (id ${id}) could not be read: ${reason}`)}\n`);
  return preview.live.unread.length === 0 ? EXIT.ok : EXIT.error;
}

function refuseUseless(flags: PreviewFlags): void {
  const { leads, row, format, serve: isServed, port } = flags;
  const needs = (option: string, needed: string, added: string) => {
    throw usage(`${option} needs ${needed}.`, `Add ${added}, or remove ${option}.`);
  };
  if (leads === null && row !== null) needs('--row', '--leads', '--leads FILE.csv');
  if (leads === null && format !== 'html') needs(`--format ${format}`, '--leads', '--leads FILE.csv');
  if (!isServed && port !== null) needs('--port', '--serve', '--serve');
  if (isServed && flags.live)
    throw usage(
      '--serve cannot be combined with --live: a served page follows the files, and --live reads the service only once.',
      'Remove one of the two. To see later changes in the service, run preview --live again.',
    );
  if (isServed && format !== 'html')
    throw usage(`--serve cannot be combined with --format ${format}.`, 'Remove one of the two.');
}

/** The page is for a browser. */
function refuseTerminal({ format, serve: isServed }: PreviewFlags, { isOutTerminal }: Shell): void {
  if (isServed || format !== 'html' || !isOutTerminal) return;
  throw usage(
    'preview writes a page for a browser, not for a terminal.',
    'Add > preview.html and open that file, or add --serve and open the address.',
  );
}

async function serve(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const current = await watchPreview(flags, shell);
  const server = await servePages(flags.port ?? 0, async ({ path, query }) => {
    if (path !== '' && path !== 'version') return null;
    const watched = await current();
    if (path === 'version') return { type: 'text/plain', text: String(watched.version) };
    return { type: 'text/html', text: servedPage(watched, Number(query.get('row') ?? flags.row)) };
  });
  shell.out(`${server.url}\n`);
  shell.err('Open this address in a browser. The page reloads when a file changes. Stop it with Ctrl-C.\n');
  await new Promise<void>((resolve) => shell.onInterrupt(resolve));
  await server.close();
  return EXIT.ok;
}

function servedPage({ preview, ...watched }: WatchedPreview, row: number): string {
  const { leads } = preview;
  const step = leads && leadStep(leads, row);
  const shown = leads && { report: leads.report, shown: step === null ? [] : leadsToShow(leads, step.row) };
  const served = { ...preview, ...watched, step, script: PREVIEW_SCRIPT };
  return renderPreviewHtml({ ...preview, leads: shown, served });
}

function print({ leads, ...preview }: Preview, { format, row }: PreviewFlags, shell: Shell): void {
  if (leads === null) {
    shell.out(renderPreviewHtml({ ...preview, leads, served: null }));
    return;
  }
  const shown = leadsToShow(leads, row);
  if (format === 'html') {
    shell.out(renderPreviewHtml({ ...preview, leads: { report: leads.report, shown }, served: null }));
    for (const warning of leadWarnings(leads.report)) shell.err(`! ${visibleLine(warning)}\n`);
  } else {
    const { report } = leads;
    shell.out(format === 'json' ? renderJson(report) : renderLeadsText(report, shell.onOut));
  }
}
