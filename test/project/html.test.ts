import { expect, test } from 'vitest';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { readProject } from '../../src/project/project.js';
import { folder } from './folder.js';

const config = `version: 1
manifests: [campaigns/*.yaml]
environments:
  sandbox: { sandbox: {} }
policies:
  safe-links: { links: { never_hosts: [evil.example] } }
  wording: { words: { never: [risk free] } }
`;
const manifest = (body: string) => `name: Spring
settings: { plain_text: false }
sequence:
  title: Spring
  steps:
    - email_subject: A question
      ${body}
      wait_in_days: 3
`;

/** The codes of what is found in a project. */
async function codesOf(files: Record<string, string>): Promise<string[]> {
  const root = folder({ 'campaignctl.yaml': config, ...files });
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments);
  const { findings } = await loadCampaigns(project, { environments, files: [], cwd: root });
  return findings.map(({ code }) => code).sort();
}

const LINK = '<a href=https://evil.example>risk&nbsp;free</a>';

test.each([
  ['as it is', { 'campaigns/a.yaml': manifest(`email_body: "${LINK}"`) }],
  [
    'in escapes of YAML',
    {
      'campaigns/a.yaml': manifest(
        `email_body: "${LINK.replaceAll('<', '\\x3c').replaceAll('&', '\\u0026')}"`,
      ),
    },
  ],
  ['in a file', { 'campaigns/a.yaml': manifest('email_body_file: a.html'), 'campaigns/a.html': LINK }],
])('HTML that is written %s is read', async (_name, files) => {
  expect(await codesOf(files)).toEqual(['policy/safe-links', 'policy/wording']);
});
