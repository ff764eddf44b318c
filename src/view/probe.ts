import type { Problem } from '../model/outputs.js';
import type { ProbeFinding, ProbeResult } from '../model/reports.js';
import { count } from '../model/words.js';
import { problemLines } from './problems.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { cut, wrap } from './words.js';

const CONCLUSIONS: Record<ProbeFinding['key'], Readonly<Record<string, string>>> = {
  status: {
    shown: 'The service shows the status of campaigns.',
    hidden: 'The service shows no status, neither in records nor in the list.',
    unknown:
      'The service shows no status, but may show one after a launch. If it shows none for sending campaigns either, write status: hidden under service.',
  },
  schedule_repost: {
    replace: 'A second schedule replaces the first.',
    refuse: 'A second schedule is refused.',
    unknown: 'A second schedule was neither refused nor shown as posted.',
  },
  sequence_repost: {
    append: 'A second post adds emails at the end.',
    replace: 'A second post replaces the sequence.',
    refuse: 'A second post is refused.',
    unknown: 'A second post was neither refused nor shown as posted.',
  },
  variant_reference: {
    step_id: 'A variant refers to its email by id.',
    order: 'A variant refers to its email by position in the same request.',
    unknown: 'The service shows no variant, whether it refers to its email by id or by position.',
  },
};

/** `unfinished`: a problem for each crashed probe. */
export interface ProbeIntent {
  environment: string;
  base_url: string;
  requests: number;
  unfinished: Problem[];
}

export function renderProbeIntent(
  { environment, base_url, requests, unfinished }: ProbeIntent,
  options: TextOptions,
): string {
  const text = `A probe of ${visibleLine(environment)} (${visibleLine(base_url)}) sends at most ${requests} write requests: it creates one or two scratch campaigns and posts schedules and emails to them. It attaches no leads and launches nothing. The campaigns remain as drafts: only the service's web app can delete them.`;
  const problems = unfinished.flatMap((problem) => problemLines(problem, options, ''));
  return `${[...wrap(text, options.width), ...problems].join('\n')}\n`;
}

export function renderProbeText(result: ProbeResult, options: TextOptions): string {
  const { environment, base_url, findings, written, requests, campaigns, problems, complete } = result;
  const { paint, width } = options;
  const lines = [paint('bold', `Probe of ${visibleLine(environment)} (${visibleLine(base_url)})`)];
  for (const { key, value, evidence } of findings) {
    const words =
      evidence.length === 0 ? 'The probe did not get this far.' : CONCLUSIONS[key][value ?? 'unknown'];
    lines.push(
      '',
      `  ${paint('bold', key)}  ${value === null ? paint('yellow', 'unknown') : paint('green', value)}`,
      ...wrap(words ?? '', width - 6).map((line) => `      ${line}`),
      ...evidence.map((line) => paint('dim', `      ${cut(visibleLine(line), width - 6)}`)),
    );
  }
  const sent = `${count(requests, 'write request')} sent`;
  lines.push('', `${sent}; ${complete ? 'done' : paint('red', 'incomplete')}.`);
  if (campaigns.length > 0) lines.push("Left behind; delete these campaigns in the service's web app:");
  for (const { id, name } of campaigns)
    lines.push(`  ${id ?? paint('magenta', 'perhaps')}  ${visibleLine(name)}`);
  const values = findings.filter(({ value }) => value !== null).map(({ key, value }) => `${key}: ${value}`);
  if (values.length > 0) {
    const verb = written === null ? 'For' : 'Written into';
    const place = `${visibleLine(written ?? 'the project file')}, under ${visibleLine(environment)}: service:`;
    lines.push('', `${verb} ${place}`, ...values.map((value) => `  ${value}`));
  }
  lines.push(...problems.flatMap((problem) => ['', ...problemLines(problem, options, '')]));
  return `${lines.join('\n')}\n`;
}
