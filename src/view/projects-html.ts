import { EMPTY_SUMMARY, type Plan, type Problem, type Summary } from '../model/outputs.js';
import { count } from '../model/words.js';
import { type Html, html } from './html-page.js';
import { type PageOptions, renderPlanHtml } from './plan-html.js';
import { type ProjectPart, planTotals, projectName, projectsHead } from './projects.js';
import { summed } from './words.js';

/** Plans of several projects on one page: one plan whose campaigns stand in the folders of their projects. */
export function renderProjectsHtml(parts: readonly ProjectPart<Plan>[], { about }: PageOptions = {}): string {
  const planned = parts.flatMap(({ result, ...part }) => (result === null ? [] : [{ part, plan: result }]));
  return renderPlanHtml(mergedPlan(planned.map(({ part, plan }) => inProject(projectName(part), plan))), {
    ...(about === undefined ? {} : { about }),
    title: projectsHead(parts, 'planned'),
    before: failedPart(parts),
    after: tablePart(parts),
  });
}

/** The plan with its project named in every manifest, and in problems of the whole plan. */
function inProject(name: string, plan: Plan): Plan {
  const placed = <Part extends { manifest: string }>(part: Part): Part => ({
    ...part,
    manifest: `${name}/${part.manifest}`,
  });
  const named = (problem: Problem): Problem => ({ ...problem, message: `${name}: ${problem.message}` });
  return {
    ...plan,
    problems: plan.problems.map(named),
    campaigns: plan.campaigns.map(placed),
    removed: plan.removed.map(placed),
    by_hand: plan.by_hand.map(placed),
  };
}

function mergedPlan(plans: readonly Plan[]): Plan {
  const isReal = plans.some(({ base_url }) => base_url !== 'sandbox');
  const environments = [...new Set(plans.map(({ environment }) => environment))];
  return {
    version: 1,
    environment: environments.join(', '),
    base_url: isReal ? `${count(plans.length, 'plan')} of several services` : 'sandbox',
    fingerprint: '',
    mode: plans.some(({ mode }) => mode === 'drift') ? 'drift' : (plans[0]?.mode ?? 'all'),
    summary: sumOf(plans.map(({ summary }) => summary)),
    problems: plans.flatMap(({ problems }) => problems),
    campaigns: plans.flatMap(({ campaigns }) => campaigns),
    removed: plans.flatMap(({ removed }) => removed),
    by_hand: plans.flatMap(({ by_hand }) => by_hand),
  };
}

/** The daily emails of all launches are unknown if those of one are. */
function sumOf(summaries: readonly Summary[]): Summary {
  const daily = summaries.flatMap(({ launch, launch_emails_per_day: sum }) => (launch === 0 ? [] : [sum]));
  const isKnown = daily.length > 0 && daily.every((sum) => sum !== null);
  return {
    ...summed([EMPTY_SUMMARY, ...summaries]),
    launch_emails_per_day: isKnown ? daily.reduce((all, perDay) => all + (perDay ?? 0), 0) : null,
  };
}

function failedPart(parts: readonly ProjectPart<Plan>[]): Html | null {
  const failed = parts.flatMap((part) => (part.failure === null ? [] : [{ part, failure: part.failure }]));
  if (failed.length === 0) return null;
  const items = failed.map(
    ({ part, failure }) =>
      html`<div class="group"><p><code>${failure.code}</code> <strong>${projectName(part)}</strong>: ${failure.message}</p>${failure.hint && html`<p class="hint">${failure.hint}</p>`}</div>`,
  );
  return html`<section class="notice blocked"><h3>${count(failed.length, 'project')} without a plan</h3>${items}</section>`;
}

/** Every project with its counts. */
function tablePart(parts: readonly ProjectPart<Plan>[]): Html {
  const rows = parts.map((part) => {
    const { result, failure } = part;
    const counts = result === null ? (failure?.code ?? 'not planned') : planTotals([result]);
    return html`<tr><th scope="row">${projectName(part)}</th><td>${counts}</td></tr>`;
  });
  return html`<section aria-labelledby="projects"><h2 id="projects">Projects</h2><table class="projects"><tbody>${rows}</tbody></table></section>`;
}
