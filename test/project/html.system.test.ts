import { beforeEach, expect, test, vi } from 'vitest';
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

beforeEach(() => void vi.resetModules());

/** Loads a project in a program that has read no HTML before; codes of what is found, and whether HTML can be read now. */
async function load(files: Record<string, string>) {
  const { loadCampaigns, readProject } = await import('../../src/project/index.js');
  const { readHtml } = await import('../../src/model/html.js');
  const root = folder({ 'campaignctl.yaml': config, ...files });
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments);
  const { findings } = await loadCampaigns(project, { environments, files: [], cwd: root });
  let isLoaded = true;
  try {
    readHtml('<p>');
  } catch {
    isLoaded = false;
  }
  return { codes: findings.map(({ code }) => code).sort(), isLoaded };
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
  expect(await load(files)).toEqual({ codes: ['policy/safe-links', 'policy/wording'], isLoaded: true });
});

test('what reads HTML is not loaded for a project without any', async () => {
  const files = { 'campaigns/a.yaml': manifest('email_body: See https://evil.example, risk free.') };
  expect(await load(files)).toEqual({ codes: ['policy/safe-links', 'policy/wording'], isLoaded: false });
});
