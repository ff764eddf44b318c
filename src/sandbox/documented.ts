import type { JsonObject } from '../model/json.js';
import type { Profile } from './profile.js';
import { reply } from './rule.js';
import type { Campaign, Step } from './state.js';

/** The service as the interface document describes it, with the plainest choice wherever that is silent. */
export const documented: Profile = {
  receive: (body) => body,
  storedSubject: (subject) => subject,
  keepsNumbers: true,
  boundsNewLeads: false,
  leastWait: null,
  launch: 'at-once',

  created: (campaign) => reply(200, record(campaign)),
  record: (campaign) => reply(200, record(campaign)),
  rows: (campaigns) => campaigns,
  list: (rows) => reply(200, rows.map(record)),
  templates: (templates) => reply(200, [...templates]),
  schedule: (campaign) =>
    campaign.schedule === null
      ? reply(404, { message: 'The campaign has no schedule.' })
      : reply(200, campaign.schedule),
  scheduleExists: null,
  steps: (campaign) => reply(200, steps(campaign)),
  sequence: (campaign) => reply(200, steps(campaign)),
  attached: () => reply(200, { message: 'Attached.' }),
  incomplete: () =>
    reply(400, {
      success: false,
      message: 'The campaign has not been set up: schedule or sequence is missing.',
    }),
  campaignNotFound: () => reply(404, { message: 'Campaign not found.' }),
};

function record(campaign: Campaign): JsonObject {
  return { id: campaign.id, name: campaign.name, status: campaign.status, ...campaign.settings };
}

/** In sending order, the variants behind their step and with its order. */
function steps(campaign: Campaign): JsonObject[] {
  const variantsOf = (base: Step) => campaign.steps.filter((step) => step.variant_from_step === base.id);
  return campaign.steps
    .filter((step) => !step.variant)
    .flatMap((base) => [base, ...variantsOf(base)].map((step) => shown(step, base.order)));
}

function shown(step: Step, order: number | null): JsonObject {
  const { title: _, ...fields } = step;
  return { ...fields, order };
}
