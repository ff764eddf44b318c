import { resolve } from 'node:path';
import { specCalendar } from '../../email/calendar.js';
import { parseCsv } from '../../email/csv.js';
import { decodeLeads, usedVariables } from '../../email/leads.js';
import type { SampleLead } from '../../email/mail.js';
import { writeAtomic } from '../../files/atomic.js';
import { fileWording, LIMITS } from '../../manifest/files.js';
import { parseYaml } from '../../manifest/parse.js';
import { EXIT, type ExitCode, errorMessage, Failure, usage } from '../../model/failure.js';
import type { Json } from '../../model/json.js';
import { count, thousands } from '../../model/words.js';
import { openPlace } from '../../operations/place.js';
import { stopOnErrors, tellWarnings } from '../../operations/validate.js';
import { loadCampaigns, selectedOf } from '../../project/campaigns.js';
import { readText } from '../../project/files.js';
import { renderCalendarText } from '../../view/calendar.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import { printable, visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

type PreviewFlags = Flags<'preview'>;

/** Shows emails as recipients get them, offline. */
export async function run(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const { files, lead, leads, format, out } = flags;
  const { cwd } = shell;
  const { project, environment } = await openPlace(flags, shell);
  const loaded = selectedOf(await loadCampaigns(project, { environments: [environment], files, cwd }));
  stopOnErrors(loaded.findings, 'Correct them first.');
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const calendars = Object.fromEntries(
    campaigns.flatMap(({ manifest, spec }) => {
      const calendar = specCalendar(spec, { from: shell.now(), leads });
      return calendar === null ? [] : [[manifest, calendar]];
    }),
  );
  const variables = usedVariables(campaigns.map(({ spec }) => spec));
  const people = lead === null ? null : readLeads(lead, cwd, variables);
  if (lead !== null && people !== null) shell.err(leadsLine(lead, people, variables));
  if (format === 'text' && Object.keys(calendars).length === 0)
    throw usage(
      'No campaign has emails and a schedule of its own, so there is no sending calendar.',
      'Only the service knows the hours of a schedule template.',
    );
  const view =
    format === 'text'
      ? renderCalendarText(Object.values(calendars), shell.onOut)
      : renderPreviewHtml({
          environment: environment.name,
          campaigns,
          leads: people?.slice(0, MOST_SHOWN) ?? null,
          calendars,
        });
  tellWarnings(loaded.findings, shell);
  if (out === null) shell.out(view);
  else {
    await writePage(out, printable(view), shell);
    shell.err(`Wrote ${out}${format === 'html' ? ': open it in a browser' : ''}.\n`);
  }
  return EXIT.ok;
}

/** A file may hold thousands of leads. */
const MOST_SHOWN = 5;

/** "people.csv: 1,200 leads. 14 lack COMPANY, 3 lack FIRST_NAME." */
function leadsLine(file: string, leads: readonly SampleLead[], variables: readonly string[]): string {
  const lacking = variables
    .map((name) => ({ name, number: leads.filter(({ values }) => values[name] === undefined).length }))
    .filter(({ number }) => number > 0)
    .sort((a, b) => b.number - a.number)
    .map(({ name, number }) => `${thousands(number)} lack${number === 1 ? 's' : ''} ${name}`);
  const gaps = lacking.length === 0 ? 'Each has every variable' : lacking.join(', ');
  const shown = leads.length > MOST_SHOWN ? ` The page shows the first ${MOST_SHOWN}.` : '';
  return `${visibleLine(`${file}: ${count(leads.length, 'lead')}. ${gaps}.`)}${shown}\n`;
}

/** From CSV with a header, YAML or JSON. */
function readLeads(file: string, cwd: string, variables: readonly string[]): SampleLead[] {
  const isCsv = /\.csv$/i.test(file);
  const read = readText(resolve(cwd, file), isCsv ? LIMITS.ids : LIMITS.manifest);
  if (!('text' in read)) throw unusable(file, fileWording(read.problem, file, LIMITS.manifest).message);
  const decoded = decodeLeads(isCsv ? rowsOf(file, read.text) : valuesOf(file, read.text), variables);
  if ('wrong' in decoded) throw unusable(file, decoded.wrong);
  return decoded.leads;
}

function rowsOf(file: string, text: string): Json[] {
  const parsed = parseCsv(text);
  if ('wrong' in parsed) throw unusable(file, parsed.wrong);
  return parsed.rows;
}

function valuesOf(file: string, text: string): Json[] {
  const { documents, findings } = parseYaml(file, text);
  const [finding] = findings;
  if (finding !== undefined) throw unusable(file, finding.message);
  return documents.flatMap(({ value }) => value);
}

function unusable(file: string, reason: string): Failure {
  return new Failure({
    code: 'lead-file-unusable',
    message: `The lead file ${file} cannot be used: ${reason}`,
    hint: 'Write one person or a list of people, each with variables and values: FIRST_NAME: Anna. Or a CSV file whose first row names the variables.',
  });
}

async function writePage(file: string, html: string, { cwd }: Shell): Promise<void> {
  await writeAtomic(resolve(cwd, file), html).catch((error: unknown) => {
    throw usage(
      `The page cannot be written to ${file}: ${errorMessage(error)}.`,
      'Check the path after --out.',
    );
  });
}
