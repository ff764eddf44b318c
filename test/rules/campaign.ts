import type { WrittenCampaign } from '../../src/manifest/resolve.js';
import type { Environment } from '../../src/model/environment.js';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { checkCampaign, compareCampaigns } from '../../src/rules/check.js';
import { production } from '../manifest/check.js';

/** A frozen subject that says of every value that it was written where it stands. */
export function subject(spec: CampaignSpec, manifest = 'campaigns/spring.yaml'): WrittenCampaign {
  const [file = manifest, number = '1'] = manifest.split('#');
  const document = Number(number) - 1;
  return deepFreeze({
    manifest,
    file,
    document,
    spec,
    waive: {},
    lint: {},
    isWhole: true,
    at: (path, { text, target } = {}) => ({
      file,
      document,
      path,
      target: target ?? 'value',
      text: text ?? null,
    }),
  } satisfies WrittenCampaign);
}

export function applyRules(campaigns: readonly WrittenCampaign[], where: Environment) {
  const checked = campaigns.map((campaign) => checkCampaign({ campaign, isValid: true }, where, {}));
  compareCampaigns(checked, where, {});
  return { findings: checked.flatMap(({ lint }) => lint) };
}

/** A campaign with one sequence; steps say only what matters to the test. */
export function mailing(...steps: Partial<ResolvedStep>[]): CampaignSpec {
  const email = { email_subject: 'A question', email_body: '<p>Worth a look?</p>', wait_in_days: 3 };
  return {
    name: 'Spring installers',
    sequence: { title: 'Spring sequence', steps: steps.map((step) => ({ ...email, ...step })) },
  };
}

/** An environment of which nothing matters but what is given. */
export function environment(given: Partial<Environment> = {}): Environment {
  return deepFreeze({ ...production, lead_lists: {}, schedule_templates: {}, ...given });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
