import type { Plan } from '../model/plan.js';
import type { Step } from '../model/step.js';
import { visibleLine } from './terminal.js';

/** Every request of a plan in order, as `METHOD path` and, below, the body as one line of JSON. */
export function renderRequestsText(plan: Plan): string {
  return plan.campaigns
    .filter(({ steps }) => steps.length > 0)
    .map(({ name, steps }) => `# ${visibleLine(name)}\n${steps.map(requestText).join('')}\n`)
    .join('');
}

function requestText({ method, path, body }: Step): string {
  return `${method} ${path}\n${body === null ? '' : `  ${visibleLine(JSON.stringify(body))}\n`}`;
}
