import { join } from 'node:path';
import { expect, test } from 'vitest';
import { htmlToText } from '../../src/email/html-text.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { LITERAL_TOKEN, startLiteralService } from '../support/literal/service.js';
import { GAPS, type Literal, PLAINEST } from '../support/literal/shape.js';

const manifest = (name: string, settings = '') => `name: ${name}
settings: { max_emails_per_day: 100${settings} }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body: "<p>Is {COMPANY} ready for ${name}?</p>"
      wait_in_days: 3
      variants: [{ email_subject: Another question, email_body: Quite short }]
    - { email_subject: "{FIRST_NAME}, a question", email_body: One more thing, wait_in_days: 4, thread_reply: true }
`;
const FILES = {
  'campaigns/spring.yaml': manifest('Spring'),
  'campaigns/autumn.yaml': manifest(
    'Autumn',
    ', plain_text: true, can_unsubscribe: true, unsubscribe_text: Stop',
  ),
};
const project = (environment: string) =>
  `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: ${environment}\n`;

async function inWorkspace(
  environment: string,
  env: Record<string, string>,
  use: (run: (...words: string[]) => Promise<Ended>, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, { ...FILES, 'campaignctl.yaml': project(environment) });
    const run = (...words: string[]) => command(folder, words, env);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    // The emails come from the service, so the manifests need not be valid.
    await writeFiles(folder, { 'campaigns/spring.yaml': 'name: [', 'campaigns/autumn.yaml': 'name: 5' });
    await use(run, folder);
  });
}

test('shows the emails of the workspace, all or by name, id or pattern, with the leads of a file', async () => {
  await inWorkspace('{ sandbox: {} }', {}, async (run, folder) => {
    const { code, out, err } = await run('preview', '--live');
    expect([code, err]).toEqual([0, '']);
    await expect(htmlToText(out)).toMatchFileSnapshot('golden/preview-live.txt');
    for (const words of [['Aut*'], ['1'], ['autumn']]) {
      const some = await run('preview', '--live', ...words);
      if (words[0] === 'autumn') expect(some.err).toContain('Did you mean "Autumn"?');
      else expect(htmlToText(some.out)).toMatch(/3 emails of 1 campaign\n/);
    }
    await writeFiles(folder, { 'leads.csv': 'first_name\nAnna\n' });
    const leads = await run('preview', '--live', '--leads', 'leads.csv', '--json');
    expect(JSON.parse(leads.out).campaigns[0]).toMatchObject({
      place: expect.stringMatching(/^id \d+/),
      rows_without: 1,
      variables: [
        { name: 'FIRST_NAME', column: 'first_name', rows_without: 0 },
        { name: 'COMPANY', column: null, rows_without: 1 },
      ],
    });
  });
});

const SHAPES: [name: string, shape: Literal][] = [
  ['the plainest', PLAINEST],
  ...GAPS.stepsBody.map((stepsBody): [string, Literal] => [`steps ${stepsBody}`, { ...PLAINEST, stepsBody }]),
  ...GAPS.recordBody.map((recordBody): [string, Literal] => [
    `record ${recordBody}`,
    { ...PLAINEST, recordBody, status: 'record' },
  ]),
];

test.each(SHAPES)('reads a service that does what the API document says: %s', async (_name, shape) => {
  const service = await startLiteralService(shape);
  try {
    const environment = `{ base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }`;
    await inWorkspace(environment, { CAMPAIGNS_TOKEN: LITERAL_TOKEN }, async (run) => {
      const writes = service.writes.length;
      const { code, out, err } = await run('preview', '--live');
      expect([code, err]).toEqual([0, '']);
      const text = htmlToText(out);
      expect(text).toContain('6 emails of 2 campaigns');
      expect(text).toContain(`Read from ${service.url}.`);
      expect(text).toContain('Is Northlight Studio ready for Spring?');
      expect(text).toContain('Sent as\nplain text');
      expect(out).not.toContain(LITERAL_TOKEN);
      expect(service.writes.length).toBe(writes);
    });
  } finally {
    await service.close();
  }
});

test('names a campaign that cannot be read, shows the others, and ends with an error', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'workspace.json');
    const environment = (url: string) => `{ base_url: "${url}", token_env: CAMPAIGNS_TOKEN }`;
    const env = { CAMPAIGNS_TOKEN: 'any-token' };
    const first = await startSandbox({ profile: 'documented', file });
    await writeFiles(folder, { ...FILES, 'campaignctl.yaml': project(environment(first.url)) });
    expect(await command(folder, ['apply', '--yes'], env)).toMatchObject({ code: 0 });
    await first.close();
    const faults = ['GET /api/campaigns/1/sequence-steps=403-before'];
    const second = await startSandbox({ profile: 'documented', file, faults });
    try {
      await writeFiles(folder, { 'campaignctl.yaml': project(environment(second.url)) });
      const { code, out, err } = await command(folder, ['preview', '--live'], env);
      expect(code).toBe(1);
      expect(err).toMatch(/^! \w+ \(id \d+\) could not be read: /m);
      expect(htmlToText(out)).toContain('3 emails of 1 campaign\n');
      expect(htmlToText(out)).toContain('Not everything could be read');
    } finally {
      await second.close();
    }
  });
});

test.each([['--serve'], ['--serve --json']])('refuses preview --live %s', async (line) => {
  await withFolder(async (folder) => {
    await writeFiles(folder, { 'campaignctl.yaml': project('{ sandbox: {} }') });
    const { code, err } = await command(folder, ['preview', '--live', ...line.split(' ')], {});
    expect([code, err]).toEqual([1, expect.stringContaining('[usage]')]);
  });
});
