import type { Plan } from '../../model/plan.js';
import { code } from '../markdown.js';
import { DRIFT_LEGEND, driftLine } from '../origin-words.js';
import { fitted, NOTE } from './fit.js';
import { headline, isTold, LENGTHS, unread, warnings } from './head.js';

/**
 * A plan as a comment on a pull request, or the summary of a job: Markdown as GitHub and GitLab read it. What cannot be taken
 * back stands first and outside of any fold. It fits its limit by construction, and foreign text stays text: see `escape`.
 */

/** The share of the room that what is dangerous may take before the campaigns. */
const MOST_HEAD = 0.7;

/** A plan as Markdown of at most `limit` characters, from 2,000; what had to be left out is said. */
export function renderPlanMarkdown(plan: Plan, limit: number): string {
  const title = titleOf(plan);
  const print = `${code(plan.base_url)} · plan ${code(plan.fingerprint.slice(7, 19))}`;
  const frames = LENGTHS.map((most) => ({
    head: [title, '', ...warnings(plan, most), ''].join('\n'),
    foot: ['', ...unread(plan, most), `<sub>${print}</sub>`, ''].join('\n'),
  }));
  const fits = ({ head, foot }: { head: string; foot: string }) =>
    head.length + foot.length + NOTE <= limit * MOST_HEAD;
  const { head, foot } = frames.find(fits) ?? frames.at(-1) ?? { head: '', foot: '' };
  return `${head}${fitted(plan.campaigns.filter(isTold), limit - head.length - foot.length)}${foot}`;
}

function titleOf(plan: Plan): string {
  const environment = code(plan.environment);
  if (plan.mode !== 'drift') return `### Plan for ${environment}: ${headline(plan)}`;
  const legend = plan.campaigns.length === 0 ? [] : ['', DRIFT_LEGEND];
  return [`### Drift of ${environment}: ${lowered(driftLine(plan))}`, ...legend].join('\n');
}

/** A sentence after a colon. */
function lowered(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}
