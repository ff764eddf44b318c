import type { Problem } from '../model/outputs.js';
import type { ProbeFinding, ProbeResult } from '../model/probe.js';
import { count } from '../model/words.js';
import { problemLines } from './problems.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { cut, wrap } from './words.js';

/** `left`: what unfinished probes left behind. */
export interface ProbeIntent {
  environment: string;
  base_url: string;
  requests: number;
  left: Problem[];
}

/** Shown before the question. */
export function renderProbeIntent(
  { environment, base_url, requests, left }: ProbeIntent,
  options: TextOptions,
): string {
  const text = `A probe of ${visibleLine(environment)} (${visibleLine(base_url)}) sends at most ${requests} requests that change something: it creates a scratch campaign, perhaps a second one, and posts schedules and emails to them. It attaches no leads and launches nothing. The campaigns stay behind as drafts: only the service's web app can delete them.`;
  const problems = left.flatMap((problem) => problemLines(problem, options, ''));
  return `${[...wrap(text, options.width), ...problems].join('\n')}\n`;
}

/** Each conclusion with its evidence, the campaigns left behind, and the lines for the project file. */
export function renderProbeText(result: ProbeResult, options: TextOptions): string {
  const { environment, base_url, findings, requests, problems, complete } = result;
  const { paint } = options;
  const sent = `${count(requests, 'request')} that ${requests === 1 ? 'changes' : 'change'} something`;
  const lines = [
    paint('bold', `Probe of ${visibleLine(environment)} (${visibleLine(base_url)})`),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, options)]),
    '',
    `${sent}; ${complete ? 'done' : paint('red', 'incomplete')}.`,
    ...campaignLines(result, options),
    '',
    ...serviceLines(result, options),
    ...problems.flatMap((problem) => ['', ...problemLines(problem, options, '')]),
  ];
  return `${lines.join('\n')}\n`;
}

function findingLines(
  { key, value, conclusion, evidence }: ProbeFinding,
  { paint, width }: TextOptions,
): string[] {
  const shown = value === null ? paint('yellow', 'unknown') : paint('green', value);
  return [
    `  ${paint('bold', key)}  ${shown}`,
    ...wrap(visibleLine(conclusion), width - 6).map((line) => `      ${line}`),
    ...evidence.map(({ request, answer }) =>
      paint('dim', `      ${cut(visibleLine(`${request} → ${answer}`), width - 6)}`),
    ),
  ];
}

function campaignLines({ campaigns }: ProbeResult, { paint, width }: TextOptions): string[] {
  if (campaigns.length === 0) return ['No campaign was made.'];
  const [it, them] = campaigns.length === 1 ? ['campaign', 'it'] : ['campaigns', 'them'];
  const head = `Scratch ${it} left behind. No request of the API deletes ${them}: do so in the service's web app.`;
  const rows = campaigns.map(({ id, name, made }) => {
    const doubt = made === 'perhaps' ? paint('magenta', '  perhaps made: look for it') : '';
    return `  ${id === null ? '' : `${id}  `}${visibleLine(name)}${doubt}`;
  });
  return ['', ...wrap(head, width), ...rows];
}

function serviceLines({ environment, findings, written }: ProbeResult, { width }: TextOptions): string[] {
  const known = findings.filter(({ value }) => value !== null);
  if (known.length === 0) return ['There is nothing to write into the project file.'];
  if (written === null)
    return [
      ...wrap('Lines for the project file; probe --write writes them in place:', width),
      'environments:',
      `  ${visibleLine(environment)}:`,
      '    service:',
      ...known.map(({ key, value }) => `      ${key}: ${value}`),
    ];
  const { file, changes } = written;
  if (changes.length === 0) return [`${visibleLine(file)} already has these values.`];
  return [
    `Written into ${visibleLine(file)}, under ${visibleLine(environment)}: service:`,
    ...changes.map(
      ({ key, from, to }) => `  ${key}: ${to}${from === null ? '' : `  (was ${visibleLine(from)})`}`,
    ),
  ];
}
