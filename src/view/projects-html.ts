import type { Plan, Problem } from '../model/outputs.js';
import { count } from '../model/words.js';
import { type Html, html } from './html-page.js';
import { type PageOptions, renderPlanHtml } from './plan-html.js';
import type { Notice } from './plan-notices.js';
import { viewPlan } from './plan-view.js';
import {
  describeResult,
  failureProblems,
  mergedPlan,
  type ProjectPart,
  planTotals,
  projectFlags,
  projectName,
  projectsHead,
} from './projects.js';

/** Plans of several projects on one page: a single plan with a folder per project. */
export function renderProjectsHtml(parts: readonly ProjectPart<Plan>[], { about }: PageOptions = {}): string {
  const planned = parts.flatMap(({ result: plan, ...part }) =>
    plan === null ? [] : [{ name: projectName(part), flags: projectFlags(part), plan }],
  );
  const plans = planned.map(({ name, plan }) => inProject(name, plan));
  return renderPlanHtml(mergedPlan(plans), {
    placeOf: (manifest) => planned.find(({ name }) => manifest.startsWith(`${name}/`))?.flags ?? '',
    applying: planned.flatMap(({ name, flags, plan }) => {
      const { applying } = viewPlan(plan, () => flags);
      return applying.length === 0 ? [] : [`${name}: ${applying.join(' ')}`];
    }),
    ...(about === undefined ? {} : { about }),
    title: projectsHead(parts, 'planned'),
    failed: failedNotice(parts),
    after: tablePart(parts),
  });
}

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
    by_hand: plan.by_hand.map((task) => ({ ...placed(task), campaign: `${name}: ${task.campaign}` })),
  };
}

function failedNotice(parts: readonly ProjectPart<Plan>[]): Notice[] {
  const failed = parts.filter(({ failure }) => failure !== null);
  const messages = failed.flatMap((part) =>
    (part.failure === null ? [] : failureProblems(part.failure)).map(({ code, message, hint }) => ({
      ...{ code, hint, campaigns: [], blocks: [] },
      text: `${projectName(part)}: ${message}`,
    })),
  );
  const title = `${count(failed.length, 'project')} without a plan`;
  return failed.length === 0 ? [] : [{ kind: 'blocked', title, messages, hint: '' }];
}

function tablePart(parts: readonly ProjectPart<Plan>[]): Html {
  const rows = parts.map(
    (part) =>
      html`<tr><th scope="row">${projectName(part)}</th><td>${describeResult(part, planTotals)}</td></tr>`,
  );
  return html`<section aria-labelledby="projects"><h2 id="projects">Projects</h2><table class="projects"><tbody>${rows}</tbody></table></section>`;
}
