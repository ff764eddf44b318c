import { parse } from 'yaml';
import type { WrittenCampaign } from '../../src/manifest/resolve.js';
import type { Environment } from '../../src/model/environment.js';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { checkCampaign, compareCampaigns } from '../../src/rules/check.js';
import type { Policies } from '../../src/rules/policies.generated.js';
import { compilePolicies, type Policy } from '../../src/rules/policies.js';
import { check, production } from '../manifest/check.js';
import { deepFreeze } from '../support/freeze.js';

/** A frozen subject in which every value has the position of its path. */
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
    cuts: [],
    invalid: new Set(),
    valuesAt: () => null,
    templateAt: () => null,
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
  const alone = campaigns.map((campaign) =>
    checkCampaign({ campaign, texts: null, isValid: true }, where, {}),
  );
  const checked = compareCampaigns(alone, where, {});
  return { findings: checked.flatMap(({ lint }) => lint) };
}

/** A campaign with one sequence. Steps need only the fields that matter to the test. */
export function mailing(...steps: Partial<ResolvedStep>[]): CampaignSpec {
  const email = { email_subject: 'A question', email_body: '<p>Worth a look?</p>', wait_in_days: 3 };
  return {
    name: 'Spring installers',
    sequence: { title: 'Spring sequence', steps: steps.map((step) => ({ ...email, ...step })) },
  };
}

/** An environment in which only `input` matters. */
export function environment(input: Partial<Environment> = {}): Environment {
  return deepFreeze({ ...production, lead_lists: {}, schedule_templates: {}, ...input });
}

/** The policies of a project file, from the YAML under `policies:`. */
export function policies(yaml: string): Policy[] {
  return compilePolicies((parse(yaml) ?? {}) as Policies, ['production', 'staging']).policies;
}

export async function policyFindings(
  yaml: string,
  manifest: string,
  files: Readonly<Record<string, string>> = {},
): Promise<[place: string, message: string][]> {
  const { findings } = check({ ...files, 'campaigns/spring.yaml': manifest }, { policies: policies(yaml) });
  return findings
    .filter(({ code }) => /^(?:policy|recommended)\//.test(code))
    .map(({ file, line, column, length, code, message }) => [
      `${file === 'campaigns/spring.yaml' ? '' : `${file}:`}${line}:${column}+${length} ${code}`,
      message.replace(/^Policy [^:]*: /, ''),
    ]);
}

/** A manifest with one email; `body` may have several lines. */
export function mail(subject: string, body: string, plainText = false): string {
  const lines = body.split('\n').map((line) => `        ${line}\n`);
  return `name: Spring
settings: { plain_text: ${plainText} }
sequence:
  title: Spring
  steps:
    - email_subject: ${JSON.stringify(subject)}
      email_body: |
${lines.join('')}      wait_in_days: 3
`;
}
