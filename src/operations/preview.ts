import { join, resolve } from 'node:path';
import { specCalendar } from '../email/calendar.js';
import { decodeLeads, usedVariables } from '../email/leads.js';
import type { SampleLead } from '../email/mail.js';
import { fileWording, LIMITS, parseYaml } from '../manifest/index.js';
import { Failure } from '../model/failure.js';
import type { LocatedFinding } from '../model/outputs.js';
import { readText } from '../project/files.js';
import { loadCampaigns } from '../project/index.js';
import type { PreviewInput } from '../view/preview-html.js';
import { openPlace, type PlaceFlags, stopOnErrors } from './session.js';
import type { World } from './world.js';

/** `lead`: a file of leads to render emails for; `leads`: how many there are. */
interface PreviewRequest extends PlaceFlags {
  files: readonly string[];
  lead: string | null;
  leads: number | null;
}

/** What a preview shows, but for the script of its page. */
interface Preview extends Omit<PreviewInput, 'script'> {
  warnings: readonly LocatedFinding[];
}

/** The emails of manifests, and when they go out: it needs neither service nor token. `follow` is told every file that they come from, also where one of them is wrong. */
export async function previewProject(
  { files, lead, leads, ...flags }: PreviewRequest,
  world: World,
  follow: (files: readonly string[]) => void,
): Promise<Preview> {
  const { cwd } = world;
  const { project, environment } = await openPlace(flags, world);
  const loaded = await loadCampaigns(project, { environments: [environment], files, cwd });
  const sources = [project.file, ...loaded.files].map((file) => join(project.root, file));
  follow([...sources, ...(lead === null ? [] : [resolve(cwd, lead)])]);
  stopOnErrors(loaded.findings, 'Correct them first.');
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const calendars = campaigns.flatMap(({ manifest, spec }) => {
    const calendar = specCalendar(spec, { from: world.now(), leads });
    return calendar === null ? [] : [[manifest, calendar] as const];
  });
  return {
    environment: environment.name,
    campaigns,
    leads: lead === null ? null : readLeads(lead, cwd, usedVariables(campaigns.map(({ spec }) => spec))),
    calendars: Object.fromEntries(calendars),
    warnings: loaded.findings,
  };
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
