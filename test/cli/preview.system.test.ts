import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const PROJECT = 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  sandbox: { sandbox: {} }\n';
const MANIFEST = `name: Spring installers
sequence:
  title: Spring
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body_file: ../emails/first.html
      wait_in_days: 3
`;
const FILES = {
  'campaignctl.yaml': PROJECT,
  'campaigns/spring.yaml': MANIFEST,
  'emails/first.html': '<p>Is {COMPANY} ready for spring?</p>\n',
};
const preview = (folder: string, ...words: string[]) => command(folder, ['preview', ...words]);

async function inProject(use: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    await use(folder);
  });
}

test('prints a page without a script, or writes it to a file', async () => {
  await inProject(async (folder) => {
    const { code, out, err } = await preview(folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Is Northlight Studio ready for spring?');
    expect(out).not.toContain('<script');
    const written = 'Wrote preview.html: open it in a browser.\n';
    expect(await preview(folder, '--out', 'preview.html')).toEqual({ code: 0, out: '', err: written });
    expect(await readFile(join(folder, 'preview.html'), 'utf8')).toBe(out);
  });
});

test('shows the sending calendar alone', async () => {
  await inProject(async (folder) => {
    const hours =
      'schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n';
    await writeFile(join(folder, 'campaigns/spring.yaml'), `${MANIFEST}${hours}`);
    const calendar = ['--leads', '3', '--format', 'text'];
    const { out } = await preview(folder, ...calendar);
    expect(out).toMatch(/3 leads: \d+ emails? on \d+ days?/);
    await preview(folder, ...calendar, '--out', 'spring.txt');
    expect(await readFile(join(folder, 'spring.txt'), 'utf8')).toBe(out);
    await writeFile(join(folder, 'campaigns/spring.yaml'), 'name: Spring\n');
    const { code, err } = await preview(folder, ...calendar);
    expect([code, err]).toEqual([1, expect.stringContaining('[usage]')]);
  });
});

test('shows the emails to the people of a file, in YAML or JSON', async () => {
  await inProject(async (folder) => {
    await writeFiles(folder, {
      'one.yaml': 'first_name: Ida\ncompany: Holm & Co\n',
      'two.json': JSON.stringify([{ FIRST_NAME: 'Ole' }, { FIRST_NAME: 'Eva', COMPANY: 'Lund' }]),
      'documents.yaml': 'FIRST_NAME: Ada\n---\nFIRST_NAME: Bo\n',
    });
    const page = async (file: string) => (await preview(folder, '--lead', file)).out;
    expect(await page('one.yaml')).toContain('Is Holm &#38; Co ready for spring?');
    const two = await page('two.json');
    expect(two).toContain('Is Lund ready for spring?');
    expect(two).toContain('no value for COMPANY');
    const both = await page('documents.yaml');
    for (const name of ['Ada', 'Bo']) expect(both).toContain(`${name}, a question`);
  });
});

test.each([
  ['that is not there', 'none.yaml', /does not exist/],
  ['that is no YAML', 'bad.yaml', /cannot be used/],
  ['that holds no people', 'words.yaml', /is not an object of variables/],
  ['that is a folder', 'campaigns', /cannot be read/],
])('refuses a file of leads %s', async (_name, lead, message) => {
  await inProject(async (folder) => {
    await writeFiles(folder, { 'bad.yaml': 'a: [', 'words.yaml': '- Ida\n' });
    const { code, err } = await preview(folder, '--lead', lead);
    expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    expect(err).toContain('[lead-file-unusable]');
  });
});

test('stops at manifests with errors, and shows where they are', async () => {
  await inProject(async (folder) => {
    await rm(join(folder, 'emails/first.html'));
    const { code, out, err } = await preview(folder);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^campaigns\/spring\.yaml:6:\d+ .*\[file-not-found\]$/m);
    expect(err).toContain('[invalid-manifests]');
  });
});

test('writes no page where it cannot, and leaves nothing behind', async () => {
  await inProject(async (folder) => {
    const { code, err } = await preview(folder, '--out', 'none/preview.html');
    expect([code, err]).toEqual([1, expect.stringContaining('[usage]')]);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});

test('a CSV file of leads says how many lack a variable, and the page shows the first of them', () =>
  withFolder(async (folder) => {
    const rows = [
      'Anna;Northlight',
      'Bert;',
      ';Dawn',
      ...Array.from({ length: 4 }, (_, at) => `C${at};Dawn`),
    ];
    await writeFiles(folder, { ...FILES, 'people.csv': `first name;Company\n${rows.join('\n')}\n` });
    const { code, out, err } = await preview(folder, '--lead', 'people.csv');
    expect(code).toBe(0);
    expect(err).toBe(
      'people.csv: 7 leads. 1 lacks FIRST_NAME, 1 lacks COMPANY. The page shows the first 5.\n',
    );
    expect(out).toContain('Is Northlight ready for spring?');
    expect([out.includes('C1'), out.includes('C2')]).toEqual([true, false]);
  }));
