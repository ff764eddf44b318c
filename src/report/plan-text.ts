import type { Action, CampaignPlan, Plan, Summary } from '../model/plan.js';
import type { Problem } from '../model/problem.js';
import { changeLines, leftAspects } from './change-lines.js';
import type { Paint, TextOptions } from './paint.js';
import { reachLine } from './reach-line.js';
import { visibleLine } from './visible.js';
import { count, cut, wrap } from './words.js';

/** A plan for a terminal: counts, then what is dangerous, then every campaign that changes, then what else is to be known. */
export function renderPlanText(plan: Plan, { paint, width }: TextOptions): string {
  const lines = [
    paint('bold', `Plan for ${plan.environment} (${plan.base_url})`),
    '',
    `  ${summaryLine(plan.summary, paint)}`,
    ...hazardLines(plan, paint, width),
    ...plan.problems
      .filter(({ severity }) => severity !== 'hazard')
      .flatMap((problem) => ['', ...problemLines(problem, { paint, width }, '  ')]),
    ...plan.campaigns.filter(isTold).flatMap((campaign) => ['', ...campaignLines(campaign, paint, width)]),
    ...noteLines(plan, paint, width),
  ];
  return `${lines.join('\n')}\n`;
}

/** "2 to create, 1 to change, 12 unchanged · 1 launch · 9 requests", or that there is nothing to do. */
export function summaryLine(summary: Summary, paint: Paint): string {
  const { create, change, unchanged, blocked, launch, pause, requests } = summary;
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
};

function isTold({ action, problems }: CampaignPlan): boolean {
  return action !== 'none' || problems.some(({ code }) => code !== 'not-readable');
}

function campaignLines(campaign: CampaignPlan, paint: Paint, width: number): string[] {
  const { name, id, manifest, action, changes, problems, steps } = campaign;
  const [colour, sign] = SIGNS[action];
  const where = paint('dim', `${id === null ? 'new' : `id ${id}`} · ${visibleLine(manifest)}`);
  const told = problems.filter(({ code, severity }) => severity !== 'hazard' && code !== 'not-readable');
  const launch = steps.some(({ id: step }) => step === 'launch') ? `  ${paint('magenta', 'LAUNCH')}` : '';
  return [
    `${paint(colour, `${sign} ${visibleLine(name)}`)}${launch}  ${where}`,
    ...reachLines(campaign, paint, width),
    ...changeLines(changes, leftAspects(campaign), { paint, width }),
    ...told.flatMap((problem) => problemLines(problem, { paint, width }, '    ')),
  ];
}

function reachLines({ reach }: CampaignPlan, paint: Paint, width: number): string[] {
  if (reach === null) return [];
  return wrap(reachLine(reach), width - 4).map((line) => `    ${paint('magenta', line)}`);
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
