import type { ProbeFinding, ProbeResult, Problem } from '../model/outputs.js';
import { count } from '../model/words.js';
import { problemLines } from './problems.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { cut, wrap } from './words.js';

/** What a probe is about to do. `left`: what probes that died have left behind, as far as it is known. */
export interface ProbeIntent {
  environment: string;
  base_url: string;
  requests: number;
  left: Problem[];
}

/** What a probe would send and leave behind, before its question. */
export function renderProbeIntent(
  { environment, base_url, requests, left }: ProbeIntent,
  options: TextOptions,
): string {
  const text = `A probe of ${visibleLine(environment)} (${visibleLine(base_url)}) sends at most ${requests} requests that change something: it creates a scratch campaign, perhaps a second one, and posts schedules and emails to them. It attaches no leads and launches nothing. The campaigns stay behind as drafts: only the service's web app can delete them.`;
  const problems = left.flatMap((problem) => problemLines(problem, options, ''));
  return `${[...wrap(text, options.width), ...problems].join('\n')}\n`;
}

/** Every conclusion beside what it rests on, what is left behind, and what the project file should say. */
export function renderProbeText(result: ProbeResult, options: TextOptions): string {
  const { environment, base_url, findings, requests, problems, complete } = result;
  const { paint } = options;
  const sent = `${count(requests, 'request')} that ${requests === 1 ? 'changes' : 'change'} something`;
  const end = complete ? 'done' : paint('red', 'incomplete');
  const lines = [
    paint('bold', `Probe of ${visibleLine(environment)} (${visibleLine(base_url)})`),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, options)]),
    '',
    `${sent}; ${end}.`,
    ...leftLines(result, options),
    ...serviceLines(result, options),
    ...problems.flatMap((problem) => ['', ...problemLines(problem, options, '')]),
  ];
  return `${lines.join('\n')}\n`;
}

function findingLines(
  { topic, key, value, conclusion, seen }: ProbeFinding,
  { paint, width }: TextOptions,
): string[] {
  const name = key === null ? topic.replaceAll('_', ' ') : topic;
  const shown = value === null ? paint('yellow', 'unknown') : paint('green', visibleLine(value));
  return [
    `  ${paint('bold', name)}  ${shown}`,
    ...wrap(visibleLine(conclusion), width - 6).map((line) => `      ${line}`),
    ...seen.map(({ request, answer }) =>
      paint('dim', `      ${cut(visibleLine(`${request} → ${answer}`), width - 6)}`),
    ),
  ];
}

function leftLines({ campaigns }: ProbeResult, { paint, width }: TextOptions): string[] {
  if (campaigns.length === 0) return ['No campaign was made.'];
  const [it, them] = campaigns.length === 1 ? ['campaign', 'it'] : ['campaigns', 'them'];
  const head = `Scratch ${it} left behind. No request of the API deletes ${them}: do so in the service's web app.`;
  return [
    '',
    ...wrap(head, width),
    ...campaigns.map(({ id, name, made }) => {
      const which = id === null ? visibleLine(name) : `${id}  ${visibleLine(name)}`;
      return `  ${which}${made === 'perhaps' ? paint('magenta', '  perhaps made: look for it') : ''}`;
    }),
  ];
}

/** What was written, or what to write. */
function serviceLines({ environment, service, written }: ProbeResult, { width }: TextOptions): string[] {
  const keys = Object.entries(service);
  if (keys.length === 0) return ['', 'Nothing to write into the project file was found.'];
  if (written === null)
    return [
      '',
      ...wrap('What campaignctl.yaml should say; probe --write writes it in place:', width),
      'environments:',
      `  ${visibleLine(environment)}:`,
      '    service:',
      ...keys.map(([key, value]) => `      ${key}: ${value}`),
    ];
  const { file, changes } = written;
  if (changes.length === 0) return ['', `${visibleLine(file)} says all of it already.`];
  return [
    '',
    `Written into ${visibleLine(file)}, under ${environment}: service:`,
    ...changes.map(
      ({ key, from, to }) => `  ${key}: ${to}${from === null ? '' : `  (was ${visibleLine(from)})`}`,
    ),
  ];
}
