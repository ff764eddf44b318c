import { expect, it } from 'vitest';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { readCases } from '../support/cases.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

type Case = Partial<CampaignSpec> & { manifest?: string; steps?: Partial<ResolvedStep>[] };

const french = environment({ lead_lists: { 'installers-fr': 77 } });

it('each flaw has a position, a message and a fix', async () => {
  const lines = readCases<Case[]>(import.meta.dirname, 'campaigns').flatMap(([title, cases]) => {
    const campaigns = cases.map(({ manifest = 'spring.yaml', steps, ...spec }) =>
      subject({ name: 'Spring installers', ...(steps && mailing(...steps)), ...spec }, manifest),
    );
    // Without names, each is a separate project.
    const projects = cases.every(({ name }) => name === undefined)
      ? campaigns.map((item) => [item])
      : [campaigns];
    const rows = projects.map((project) =>
      applyRules(project, french).findings.map(
        ({ severity, code, message, hint, place: { file, path, text } }) =>
          `${severity} ${code} ${file} ${path.join('.')} ${JSON.stringify(text)}\n  ${message}\n  ${hint}`,
      ),
    );
    return [`# ${title}`, ...rows.map((each) => each.join('\n') || 'nothing'), ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/campaigns.txt');
});
