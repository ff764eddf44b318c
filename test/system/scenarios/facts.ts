/** The facts of a command, without its wording. */
import type { CampaignPlan, Change, Plan, Problem } from '../../../src/model/outputs.js';
import type { ApplyResult, Inventory } from '../../../src/model/reports.js';
import type { Ended } from '../../support/command.js';
import type { Recorded } from '../../support/service/service.js';

export function planFacts({ campaigns, removed, replaced, by_hand, problems }: Plan): object {
  return withoutEmpty({
    campaigns: Object.fromEntries(campaigns.map((campaign) => [campaign.name, campaignFacts(campaign)])),
    problems: problems.map(problemFact),
    removed: removed.map(otherFact),
    replaced: replaced.map(otherFact),
    by_hand: tasksIn(by_hand),
  });
}

function campaignFacts({ action, changes, problems, steps, replaces }: CampaignPlan) {
  return withoutEmpty({
    action,
    replaces: replaces && `${replaces.id}${replaces.running ? ', running' : ''}`,
    changes: changes.map(changeFact),
    problems: problems.map(problemFact),
    steps: steps.map(({ id }) => id),
  });
}

/** Facts in a history omit unchanged campaigns, lint findings, and changes that have a step. */
function planFactsInHistory(plan: Plan): object {
  const campaigns = plan.campaigns
    .map((campaign) => ({
      ...campaign,
      changes: campaign.steps.length > 0 ? [] : campaign.changes,
      problems: campaign.problems.filter(({ at, code }) => at === undefined && code !== 'not-readable'),
    }))
    .filter(({ action, problems }) => action !== 'none' || problems.length > 0);
  return planFacts({ ...plan, campaigns });
}

export function applyFacts({ code, out }: Ended): object {
  return { exit_code: code, ...resultFacts(JSON.parse(out)) };
}

function resultFacts({ campaigns, problems, by_hand }: ApplyResult): object {
  return withoutEmpty({
    campaigns: Object.fromEntries(
      campaigns.map(({ name, result, steps, remaining }) => [
        name,
        withoutEmpty({
          result,
          steps: steps.map((step) => `${step.id} ${step.result}`),
          remaining: remaining.map(changeFact),
        }),
      ]),
    ),
    problems: problems.map(problemFact),
    by_hand: tasksIn(by_hand),
  });
}

/** The codes at the ends of error messages. */
export function failureFacts({ code, err }: Ended) {
  return { exit_code: code, errors: errorCodes(err) };
}

function errorCodes(err: string): string[] {
  return [...new Set([...err.matchAll(/\[([a-z-]+)\]$/gm)].map(([, code = '']) => code))];
}

/** Groups requests by campaign, because campaigns are applied concurrently. */
export function requestFacts(writes: readonly Recorded[]): object[] {
  const key = ({ path, body }: Recorded) => path.split('/')[3] ?? ` ${JSON.stringify(body)}`;
  return [...writes]
    .sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))))
    .map(({ method, path, body }) => ({ [`${method} ${path}`]: bodyFact(body) }));
}

/** Shortens long lists of ids to their count, the first and the last. */
function bodyFact(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [
      field,
      Array.isArray(value) && value.length > 20 ? `${value.length}: ${value[0]} to ${value.at(-1)}` : value,
    ]),
  );
}

/** Facts of one command in a history: exit code, JSON output and requests. Exit code 0 is omitted. */
export function commandFacts({ code, out, err }: Ended, writes: readonly Recorded[]): object {
  return withoutEmpty({
    exit: code,
    errors: errorCodes(err),
    ...outputFacts(out),
    sent: writes.map(({ method, path }) => `${method} ${path.replace(/^\/api\/(campaigns\/)?/, '')}`),
  });
}

/** Messages and hints of the problems with this code in a plan. */
export function messagesOf({ out }: Ended, code: string): string[] {
  const { campaigns, problems }: Plan = JSON.parse(out);
  return [...problems, ...campaigns.flatMap((campaign) => campaign.problems)]
    .filter((problem) => problem.code === code)
    .map(({ message, hint }) => `${message} ${hint}`);
}

function outputFacts(out: string): object {
  if (!out.startsWith('{')) return {};
  const output: Plan | ApplyResult | Inventory | { error: object } = JSON.parse(out);
  if ('mode' in output) return planFactsInHistory(output);
  if ('by_hand' in output)
    return resultFacts({
      ...output,
      campaigns: output.campaigns.filter(({ result }) => result !== 'done'),
    });
  if (!('campaigns' in output)) return {};
  return {
    list: Object.fromEntries(output.campaigns.map(({ id, name, status }) => [`${name} ${id}`, status])),
  };
}

function otherFact(campaign: Plan['removed'][number]): string {
  const { name, id, running, basis, outside, step, superseded_by } = campaign;
  const words = [
    running ? 'running' : 'idle',
    basis !== 'shown' && basis,
    outside && 'outside',
    superseded_by && `replaced by ${superseded_by}`,
    step?.id,
  ];
  return `${name} ${id}: ${words.filter(Boolean).join(', ')}`;
}

/** Omits what is carried over by hand, a task of every open succession, which `end-to-end/succession.test.ts` tests. */
function tasksIn(tasks: Plan['by_hand']): string[] {
  return tasks.filter(({ does }) => does !== 'carry').map(taskFact);
}

function taskFact({ campaign, id, does, section, path }: Plan['by_hand'][number]): string {
  return `${campaign} ${id}: ${[does, section, path].filter(Boolean).join(' ')}`;
}

function changeFact({ kind, section, path, origin }: Change & { origin?: string | null }): string {
  return [kind, section, path, origin && `(${origin})`].filter(Boolean).join(' ');
}

function problemFact({ severity, code, accepted_by }: Problem): string {
  return `${severity} ${code}${accepted_by ? `, accepted by ${accepted_by}` : ''}`;
}

/** Omits empty fields. */
function withoutEmpty(facts: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(facts).filter(
      ([, fact]) => fact && (typeof fact !== 'object' || Object.keys(fact).length > 0),
    ),
  );
}
