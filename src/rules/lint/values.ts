import type { CampaignRule } from './rule.js';

/** The first value of an entry is used in any case: it names the campaign. */
export const unusedValue: CampaignRule = {
  scope: 'campaign',
  code: 'unused-value',
  severity: 'warning',
  summary: 'A value of for_each that nothing uses.',
  check({ subject }) {
    return (subject.unused ?? []).map(({ name, path }) => ({
      message: `Nothing uses the value "${name}".`,
      hint: `Write \${{ ${name} }} where it is meant, or take it out.`,
      place: subject.at(path, { target: 'key' }),
    }));
  },
};
