import { resolve } from 'node:path';
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
import { printable, renderCalendarMarkdown, renderCalendarText } from '../../view/index.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import { renderJson } from '../../view/terminal.js';
import { defineCommand, type Flags, files, formats, text, whole } from '../options.js';
import type { Shell } from '../shell.js';

const positionals = { files };
const options = {
  format: formats(['html', 'text', 'json', 'markdown'], 'html', 'The page, or the sending calendar alone'),
  out: text('Write it to this file; default: stdout'),
  lead: text('YAML or JSON file of leads to render the emails for; default: invented ones'),
  leads: whole(0, null, 'Number of leads for the sending calendar'),
};
export type PreviewFlags = Flags<typeof positionals & typeof options>;

export const command = defineCommand({
  positionals,
  options,
  examples: [
    ['campaignctl preview --out preview.html', 'a page to look at or to pass on'],
    ['campaignctl preview --lead people.yaml --out preview.html', 'as these people would get it'],
    ['campaignctl preview --format text --leads 1200', 'when each email goes out, and how long it takes'],
  ],
  run: preview,
});

/** Shows the emails of manifests as recipients get them. Needs neither service nor token. */
async function preview(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const { shown, warnings } = await render(flags, shell);
  tellWarnings(warnings, shell);
  if (flags.out === null) shell.out(shown);
  else {
    await writePage(flags.out, printable(shown), shell);
    shell.err(`Wrote ${flags.out}${flags.format === 'html' ? ': open it in a browser' : ''}.\n`);
  }
  return EXIT.ok;
}

async function render(
  { files, lead, leads, format, ...flags }: PreviewFlags,
  shell: Shell,
): Promise<{ shown: string; warnings: readonly LocatedFinding[] }> {
  const { cwd } = shell;
  const { project, environment } = await openPlace(flags, shell);
  const loaded = selectedOf(await loadCampaigns(project, { environments: [environment], files, cwd }));
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
          ...{ environment: environment.name, campaigns, leads: people },
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
