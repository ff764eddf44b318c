import { isObject } from '../../model/json.js';
import { type CampaignPlan, isDrift } from '../../model/plan.js';
import { type Html, html } from '../html-page.js';
import { count } from '../words.js';

const SIGNS = {
  create: ['+', 'new'],
  change: ['~', 'changed'],
  blocked: ['✗', 'blocked'],
  none: ['=', 'same'],
  drift: ['~', 'changed'],
} as const;

/** What happens to a campaign, as a sign and, for those who do not see it, in a word. */
export function signOf({ action }: CampaignPlan): Html {
  const [sign, kind] = SIGNS[action];
  return html`<span class="sign ${kind}" aria-hidden="true">${sign}</span><span class="unseen">${kind}:</span>`;
}

/** What happens in a campaign, in a few words. */
export function chipsOf(campaign: CampaignPlan): Html[] {
  const { steps, problems, action } = campaign;
  const has = (step: string) => steps.some(({ id }) => id === step);
  const isBlocked = problems.some(({ severity }) => severity === 'blocked');
  const themes = action === 'create' ? ['new campaign'] : themesOf(campaign);
  return [
    ...(has('launch') ? [html`<span class="chip launch">launch</span> `] : []),
    ...(has('pause') ? [html`<span class="chip">pause</span> `] : []),
    ...(campaign.changes.some(isDrift)
      ? [html`<span class="chip drift">changed in the service</span> `]
      : []),
    ...(isBlocked ? [html`<span class="chip blocked">blocked</span> `] : []),
    ...themes.map((theme) => html`<span class="chip quiet">${theme}</span> `),
  ];
}

function themesOf({ changes }: CampaignPlan): string[] {
  const own = (section: string) => changes.filter((change) => change.section === section);
  const settings = own('settings').length;
  const emails = new Set(own('sequence').flatMap(({ path }) => /^steps\[(\d+)\]/.exec(path)?.[1] ?? []));
  const whole = own('sequence').find(({ path }) => path === '')?.to ?? null;
  const all = isObject(whole) && Array.isArray(whole.steps) ? whole.steps.length : 0;
  return [
    ...(all > 0 ? [count(all, 'email')] : []),
    ...(emails.size > 0 ? [`email ${[...emails].map((index) => Number(index) + 1).join(', ')}`] : []),
    ...(own('sequence').some(({ path }) => path === 'title') ? ['title'] : []),
    ...(own('schedule').length > 0 ? ['schedule'] : []),
    ...(settings > 0 ? [count(settings, 'setting')] : []),
    ...(own('leads').length > 0 ? ['leads'] : []),
  ];
}
