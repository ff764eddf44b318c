// Prints a chat message, as JSON for an incoming webhook, about reports that campaignctl wrote as JSON: of apply, plan --drift and
// list --check, also with --recursive. Prints nothing if nothing was done and nothing needs a person.
// The message has names of campaigns, codes, and what a policy on results says; no texts of emails, leads or other messages, which a chat
// should not keep.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const { CAMPAIGNCTL_ENV, CI_JOB_URL, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
const run = GITHUB_RUN_ID && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
// Neither is set on other platforms.
const links = [CI_JOB_URL ?? run].filter(Boolean);

const lines = process.argv.slice(2).flatMap((file) => {
  const report = read(file);
  // The shell passes *.json on if there is no file.
  const about = basename(file, '.json').replace('*', 'campaignctl');
  if (report?.projects === undefined) return tell(report, about, CAMPAIGNCTL_ENV);
  const lost = (report.lost?.projects ?? []).map(
    ({ project, environment }) => `${name(project)}, ${name(environment)}`,
  );
  return [
    ...report.projects.flatMap(({ project, environment, exit_code, result, error }) =>
      tell(result ?? { exit_code, error }, `${about}, ${name(project)}`, environment),
    ),
    ...lost.map((place) => `*${about}, ${place}: no project file, but campaigns may still send*`),
  ];
});
if (lines.length > 0) {
  const text = [...lines, ...links].join('\n');
  console.error(text);
  console.log(JSON.stringify({ text }));
}

/** `null` if the command did not run, or was stopped. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** The lines about one report; none if nothing was done and nothing needs a person. */
function tell(report, about, environment) {
  const lines = (verdict, ...rest) => {
    const place = report?.environment ?? environment;
    return [`*${about}${place ? `, ${name(place)}` : ''}: ${verdict}*`, ...rest].filter(Boolean);
  };
  if (report === null) return lines('no report. Look at the log.');
  if (report.error) {
    const found = [report.error, ...report.error.others].map(({ code }) => code);
    return lines(report.exit_code === 3 ? 'refused, nothing was sent' : 'failed', needs(found));
  }
  if (report.mode === 'drift') {
    const sending = [...report.removed, ...report.replaced].filter(({ running }) => running);
    const drifted = named(report.campaigns, () => ['drift']);
    const waiting = [...drifted, ...named(sending, () => ['still sending'])];
    const verdict = drifted.length === 0 ? 'needs attention' : 'changed outside campaignctl';
    return waiting.length === 0 ? [] : lines(verdict, needs(waiting));
  }
  if (!('result' in report)) {
    const listed = [...reasons(report), ...named(report.campaigns, reasons)];
    return listed.length === 0 ? [] : lines('needs attention', needs(listed));
  }
  const waiting = [...codes(report), ...named(report.campaigns, codes)];
  waiting.unshift(...named(report.campaigns, ({ result }) => (result === 'done' ? [] : [result])));
  waiting.push(...report.by_hand.map(({ campaign, does }) => `${name(campaign)} (by hand: ${does})`));
  return report.summary.done + waiting.length === 0 ? [] : lines(report.result, sum(report), needs(waiting));
}

function sum({ summary, campaigns }) {
  const steps = campaigns.flatMap((campaign) => campaign.steps);
  const launched = steps.filter(({ id, result }) => id === 'launch' && result === 'done').length;
  const counts = { ...summary, launched };
  const words = ['done', 'launched', 'incomplete', 'blocked', 'unchanged'].filter((key) => counts[key] > 0);
  return words.map((key) => `${counts[key]} ${key}`).join(', ');
}

function named(campaigns, reasonsOf) {
  return campaigns.flatMap((campaign) =>
    reasonsOf(campaign).map((reason) => `${name(campaign.name)} (${reason})`),
  );
}

/** Codes of problems, without hazards that are approved. */
function codes({ problems = [] }) {
  return problems.filter(({ accepted_by: by = null }) => by === null).map(({ code }) => code);
}

/** Of a list: the sentence of a policy, which has numbers and no content; otherwise, the code. */
function reasons({ problems = [] }) {
  return problems.map(({ code, message }) =>
    code.startsWith('policy/') && message ? name(message, 200) : code,
  );
}

function needs(waiting) {
  if (waiting.length === 0) return '';
  const shown = [...new Set(waiting)];
  const more = shown.length > 10 ? `, and ${shown.length - 10} more` : '';
  return `Needs a person: ${shown.slice(0, 10).join(', ')}${more}`;
}

/** A name that can neither address people, hide a link nor begin a line. */
function name(text, most = 60) {
  const plain = String(text)
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[<>[\]()|`*_~]/g, '')
    .replaceAll('@', '@\u2060')
    .replaceAll('://', ': //');
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}
