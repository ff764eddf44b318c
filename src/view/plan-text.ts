import type { Action, CampaignPlan, Plan } from '../model/plan.js';
import type { Problem } from '../model/problem.js';
import { changeLines, leftSections } from './change-lines.js';
import {
  DRIFT_LEGEND,
  driftedCampaigns,
  driftLine,
  markedChanges,
  originLine,
  whichCampaign,
} from './origin-words.js';
import { type Paint, type TextOptions, visibleLine } from './terminal.js';
import { count, cut, impactLine, scheduleLine, wrap } from './words.js';

/** Campaigns up to which each is shown whole; of more, new ones take a line or two, and what is dangerous comes first. */
const MOST_WHOLE = 25;

/** A plan for a terminal: counts, then what is dangerous, then every campaign that changes, then what else is to be known. */
export function renderPlanText(plan: Plan, { paint, width }: TextOptions): string {
  const told = plan.campaigns.filter(isTold);
  const many = told.length > MOST_WHOLE;
  const said = new Set<string>();
  const lines = [
    ...headLines(plan, paint),
    ...hazardLines(plan, paint, width),
    ...plan.problems
      .filter(({ severity }) => severity !== 'hazard')
      .flatMap((problem) => ['', ...problemLines(problem, { paint, width }, '  ')]),
    ...(many ? byRank(told) : told).flatMap((campaign, index, all) => {
      if (!many || campaign.action !== 'create')
        return ['', ...campaignLines(campaign, said, { paint, width })];
      const opens = all[index - 1]?.action !== 'create';
      return [...(opens ? [''] : []), ...briefLines(campaign, said, { paint, width })];
    }),
    ...(many && plan.summary.create > 0
      ? ['', paint('dim', 'There are many: new campaigns are shown in brief. --target NAME shows one whole.')]
      : []),
    ...noteLines(plan, paint, width),
  ];
  return `${lines.join('\n')}\n`;
}

function headLines(plan: Plan, paint: Paint): string[] {
  const { environment, base_url, mode } = plan;
  const where = `${environment} (${base_url})`;
  if (mode !== 'drift') return [paint('bold', `Plan for ${where}`), '', `  ${summaryLine(plan, paint)}`];
  const legend = plan.campaigns.length === 0 ? [] : [`  ${paint('dim', DRIFT_LEGEND)}`];
  return [
    paint('bold', `Drift of ${where}: what was changed in the service since it was applied or imported`),
    '',
    `  ${driftLine(plan)}`,
    ...legend,
  ];
}

/** "2 to create, 1 to change, 12 unchanged · 1 launch · 9 requests", or that there is nothing to do. */
export function summaryLine(plan: Plan, paint: Paint): string {
  const { create, change, unchanged, blocked, launch, pause, requests } = plan.summary;
  const drifted = driftedCampaigns(plan);
  const campaigns = [
    ...(create > 0 ? [paint('green', `${create} to create`)] : []),
    ...(change > 0 ? [paint('yellow', `${change} to change`)] : []),
    ...(blocked > 0 ? [paint('red', `${blocked} blocked`)] : []),
    `${unchanged} unchanged`,
  ].join(', ');
  const rest = [
    ...(launch > 0 ? [paint('magenta', count(launch, 'launch', 'launches'))] : []),
    ...(pause > 0 ? [count(pause, 'pause')] : []),
    ...(requests > 0 ? [count(requests, 'request')] : []),
    ...(drifted > 0 ? [paint('yellow', `${drifted} changed in the service`)] : []),
  ];
  if (requests > 0 || blocked > 0 || change > 0) return [campaigns, ...rest].join(' · ');
  const what = unchanged === 1 ? 'The campaign is' : `All ${unchanged} campaigns are`;
  return unchanged === 0 ? 'No campaigns.' : `Nothing to do. ${what} as the manifests say.`;
}

const SIGNS: Record<Action, ['green' | 'yellow' | 'red' | 'dim', string]> = {
  create: ['green', '+'],
  change: ['yellow', '~'],
  blocked: ['red', '✗'],
  none: ['dim', '='],
  drift: ['yellow', '~'],
};

function isTold({ action, problems }: CampaignPlan): boolean {
  return action !== 'none' || problems.some(({ code }) => code !== 'not-readable');
}

/** What cannot be done first, then what starts sending, then changes, then what is new. */
function byRank(campaigns: readonly CampaignPlan[]): CampaignPlan[] {
  const rank = ({ action, problems, impact }: CampaignPlan) => {
    if (problems.some(({ severity }) => severity === 'blocked')) return 0;
    if (action === 'create') return impact === null ? 4 : 3;
    return impact === null ? 2 : 1;
  };
  return [...campaigns].sort((one, other) => rank(one) - rank(other));
}

/** A new campaign in a line, and another where it starts sending. */
function briefLines(campaign: CampaignPlan, said: Set<string>, options: TextOptions): string[] {
  const { paint, width } = options;
  const { name, content } = campaign;
  const { schedule = null, sequence = null, leads = null } = content?.after ?? {};
  const [lists, ids] = [leads?.lists.length ?? 0, leads?.ids.length ?? 0];
  const parts = [
    ...(sequence === null ? [] : [count(sequence.steps.length, 'email')]),
    ...(schedule?.window ? [scheduleLine({ ...schedule.window })] : []),
    ...(lists > 0 ? [count(lists, 'lead list')] : []),
    ...(ids > 0 ? [count(ids, 'single lead')] : []),
  ];
  const launch = campaign.impact === null ? '' : `  ${paint('magenta', 'LAUNCH')}`;
  const head = `${paint('green', `+ ${visibleLine(name)}`)}${launch}`;
  const room = Math.max(20, width - visibleLine(name).length - (launch === '' ? 4 : 12));
  return [
    `${head}  ${paint('dim', cut(parts.join(' · '), room))}`,
    ...reachLines(campaign, paint, width),
    ...toldProblems(campaign).flatMap((problem) => onceSaid(problem, said, options)),
  ];
}

/** `said`: problems that were told of another campaign, which need not be told again. */
function campaignLines(campaign: CampaignPlan, said: Set<string>, options: TextOptions): string[] {
  const { paint, width } = options;
  const { name, manifest, action, steps } = campaign;
  const [colour, sign] = SIGNS[action];
  const rest =
    action === 'blocked' && steps.length > 0
      ? ` · the rest is sent in ${count(steps.length, 'request')}`
      : '';
  const where = paint('dim', `${whichCampaign(campaign)} · ${visibleLine(manifest)}${rest}`);
  const launch = steps.some(({ id: step }) => step === 'launch') ? `  ${paint('magenta', 'LAUNCH')}` : '';
  return [
    `${paint(colour, `${sign} ${visibleLine(name)}`)}${launch}  ${where}`,
    ...reachLines(campaign, paint, width),
    ...originLines(campaign, paint, width),
    ...changeLines(markedChanges(campaign), leftSections(campaign), { paint, width }),
    ...toldProblems(campaign).flatMap((problem) => onceSaid(problem, said, options)),
  ];
}

function originLines(campaign: CampaignPlan, paint: Paint, width: number): string[] {
  const line = originLine(campaign);
  return line === null ? [] : wrap(line, width - 4).map((part) => `    ${paint('yellow', part)}`);
}

function reachLines({ impact }: CampaignPlan, paint: Paint, width: number): string[] {
  if (impact === null) return [];
  return wrap(impactLine(impact), width - 4).map((line) => `    ${paint('magenta', line)}`);
}

/** Hazards stand at the top, what cannot be read at the end. */
function toldProblems({ problems }: CampaignPlan): Problem[] {
  return problems.filter(({ code, severity }) => severity !== 'hazard' && code !== 'not-readable');
}

function onceSaid(problem: Problem, said: Set<string>, options: TextOptions): string[] {
  const { severity, message, code } = problem;
  if (!said.has(message)) {
    said.add(message);
    return problemLines(problem, options, '    ');
  }
  return problemLines({ severity, message: `as above [${code}]`, code, hint: '' }, options, '    ');
}

/** A problem with its way out, indented. */
export function problemLines(problem: Problem, { paint, width }: TextOptions, indent: string): string[] {
  const { severity, message, hint, code } = problem;
  const colour = severity === 'warning' ? 'yellow' : severity === 'hazard' ? 'magenta' : 'red';
  const [first = '', ...rest] = wrap(`${severity}: ${visibleLine(message)}`, width - indent.length - 2);
  const lead = `${indent}${paint(colour, severity === 'warning' ? '!' : '✗')} `;
  const head = first.replace(severity, paint(colour, severity));
  const hints = hint === '' ? [] : wrap(`→ ${visibleLine(hint)} [${code}]`, width - indent.length - 4);
  return [
    `${lead}${head}`,
    ...rest.map((line) => `${indent}  ${line}`),
    ...hints.map((line, index) => `${indent}  ${index === 0 ? '' : '  '}${paint('dim', line)}`),
  ];
}

/** Every kind of hazard once, with the campaigns it concerns: what stands between this plan and an apply. */
function hazardLines({ problems, campaigns }: Plan, paint: Paint, width: number): string[] {
  const kinds = new Map<string, { problem: Problem; names: string[] }>();
  const note = (problem: Problem, name: string[]) => {
    if (problem.severity !== 'hazard') return;
    const known = kinds.get(problem.code);
    kinds.set(problem.code, { problem, names: [...(known?.names ?? []), ...name] });
  };
  for (const problem of problems) note(problem, []);
  for (const campaign of campaigns) for (const problem of campaign.problems) note(problem, [campaign.name]);
  if (kinds.size === 0) return [];
  const lines = [...kinds.values()].flatMap(({ problem, names }) => {
    const whom =
      names.length === 0
        ? ''
        : `  ${cut(names.map(visibleLine).join(', '), Math.max(40, width - problem.code.length - 22))}`;
    const times = names.length > 1 ? ` ${names.length} ×` : '';
    const [, ...body] = [
      '',
      ...wrap(visibleLine(problem.message), width - 6),
      ...wrap(`→ ${visibleLine(problem.hint)}`, width - 6),
    ];
    return [
      `  ${paint('magenta', `! ${problem.code}`)}${times}${whom}`,
      ...body.map((line) => `      ${paint('dim', line)}`),
    ];
  });
  return ['', paint('magenta', 'Hazards: nothing is sent until each of them is accepted by name'), ...lines];
}

/** What could not be read, once for all campaigns. */
function noteLines({ campaigns }: Plan, paint: Paint, width: number): string[] {
  const notes = new Map<string, number>();
  for (const { problems } of campaigns) {
    for (const { code, message } of problems) {
      if (code === 'not-readable') notes.set(message, (notes.get(message) ?? 0) + 1);
    }
  }
  if (notes.size === 0) return [];
  const lines = [...notes].flatMap(([message, times]) =>
    wrap(`${visibleLine(message)} (${count(times, 'campaign')})`, width - 4),
  );
  return ['', paint('dim', 'Not readable'), ...lines.map((line) => paint('dim', `  ${line}`))];
}
