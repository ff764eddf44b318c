import { readdir, rm } from 'node:fs/promises';
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
const preview = (folder: string) => command(folder, ['preview']);

async function inProject(use: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    await use(folder);
  });
}

test('prints a page without a script', async () => {
  await inProject(async (folder) => {
    const { code, out, err } = await preview(folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Northlight Studio');
    expect(out).not.toContain('<script');
  });
});

const OVERLAY = 'environments: { staging: { name: Spring test, settings: { max_emails_per_day: 5 } } }\n';

test.each([
  ['once if they look the same', OVERLAY.replace('name: Spring test, ', ''), ['campaigns/spring.yaml']],
  [
    'once for each form if they differ',
    OVERLAY,
    ['campaigns/spring.yaml (production, trial)', 'campaigns/spring.yaml (staging)'],
  ],
])('shows the campaigns of several environments %s', async (_, overlay, places) => {
  await inProject(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `${PROJECT.replace('sandbox: {', 'production: {')}  staging: { sandbox: {} }\n  trial: { sandbox: {} }\n`,
      'campaigns/spring.yaml': `${MANIFEST}${overlay}`,
    });
    const { code, out, err } = await preview(folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Several environments.');
    const shown = [...out.matchAll(/<\/h3><span class="where">(.*?)<\/span>/g)];
    expect(shown.map(([, place]) => place)).toEqual(places);
    const one = await command(folder, ['preview', '--env', 'staging']);
    expect(one.out).toContain('Environment staging.');
  });
});

test('says on a terminal where the page can be read, and prints the text of leads there', async () => {
  await inProject(async (folder) => {
    const onTerminal = (line: string) =>
      command(folder, line.split(' '), {}, undefined, { isTTY: true, width: 200 });
    const { code, out, err } = await onTerminal('preview');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('Add > preview.html and open that file, or add --serve and open the address.');
    await writeFiles(folder, { 'leads.csv': 'Company,First Name\nNorthlight,Ada\n' });
    expect((await onTerminal('preview --leads leads.csv --format text')).code).toBe(0);
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

test('fills declared variables of any characters, with sample values and with columns of leads', async () => {
  await inProject(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': PROJECT.replace(
        'sandbox: {}',
        'sandbox: {}, custom_variables: [company, sub-category]',
      ),
      'emails/first.html': '<p>{COMPANY} and {our {SUB-CATEGORY}|your {SUB-CATEGORY}}</p>\n',
      'campaigns/spring.yaml': MANIFEST.replace('{FIRST_NAME}, a', '{SUB-CATEGORY}, a'),
    });
    const { out } = await preview(folder);
    expect(out).toContain('sub-category, a question');
    expect(out).not.toContain('{SUB-CATEGORY}, a');
    const { out: real, err } = await withLeads(
      folder,
      '',
      'Company,Sub Category\nNorthlight,heat pumps\nFox,\n',
    );
    expect(real).toContain('heat pumps, a question');
    expect(err).toContain('1 of 2 rows has no SUB-CATEGORY (row 3)');
  });
});

const LEADS = 'First Name;Company;Phone\r\nAnna;Northlight <b>;1\r\nBo;;2\r\n;Fish & Chips;\r\n';
const withLeads = async (folder: string, line: string, csv = LEADS) => {
  await writeFiles(folder, { 'leads.csv': csv });
  return command(folder, ['preview', '--leads', 'leads.csv', ...line.split(' ').filter(Boolean)]);
};

test('fills the emails with real leads, counts those that lack a value, and stores nothing', async () => {
  await inProject(async (folder) => {
    const { code, out, err } = await withLeads(folder, '');
    expect(code).toBe(0);
    expect(err).toBe(
      '! Spring installers: 1 of 3 rows has no FIRST_NAME (row 4)\n! Spring installers: 1 of 3 rows has no COMPANY (row 3)\n',
    );
    expect(out).toContain('Is Northlight &#38;#60;b&#38;#62; ready');
    expect(out).toContain('<mark class="gap">no COMPANY</mark>');
    for (const words of ['Row 2, the first', 'Row 3, no COMPANY']) expect(out).toContain(words);
    expect((await readdir(folder)).sort()).toEqual(['campaignctl.yaml', 'campaigns', 'emails', 'leads.csv']);
  });
});

test('shows the lead in a row', async () => {
  await inProject(async (folder) => {
    const { code, out } = await withLeads(folder, '--row 3');
    expect([code, out]).toEqual([0, expect.stringContaining('Bo, a question')]);
    expect(out).not.toContain('Anna');
    const none = await withLeads(folder, '--row 9');
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain('Its leads are in rows 2 to 4.');
    const text = await withLeads(folder, '--row 9 --format text');
    expect([text.code, text.out, text.err]).toEqual([1, '', none.err]);
  });
});

test('prints the counts as text or JSON, without a value of a lead', async () => {
  await inProject(async (folder) => {
    const { code, out } = await withLeads(folder, '--format text');
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot('golden/preview-leads.txt');
    const { out: json } = await withLeads(folder, '--json');
    expect(JSON.parse(json)).toEqual({
      version: 1,
      environment: 'sandbox',
      file: 'leads.csv',
      rows: 3,
      unused_columns: ['Phone'],
      campaigns: [
        {
          name: 'Spring installers',
          place: 'campaigns/spring.yaml',
          rows_without: 2,
          variables: [
            { name: 'FIRST_NAME', column: 'First Name', rows_without: 1, first_rows: [4] },
            { name: 'COMPANY', column: 'Company', rows_without: 1, first_rows: [3] },
          ],
        },
      ],
    });
  });
});

test('matches headers in other languages, and says which column to rename', async () => {
  await inProject(async (folder) => {
    const { out } = await withLeads(folder, '--format text', 'Prénom;Kunde\nAnna;Northlight\n;x\n;x\n');
    await expect(out).toMatchFileSnapshot('golden/preview-leads-renamed.txt');
    const { err } = await withLeads(folder, '', 'Prénom;Kunde\nAnna;Northlight\n');
    expect(err).toContain('so no row has it: rename the column that contains it to COMPANY');
  });
});

test.each([
  ['a,b\n"1', 'leads.csv, row 2, column 1: a double quote is never closed.'],
  ['Company,company\n1,2\n', 'leads.csv: columns 1 and 2 both contain COMPANY.'],
])('refuses unreadable leads: %j', async (csv, message) => {
  await inProject(async (folder) => {
    const { code, out, err } = await withLeads(folder, '', csv);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).toContain('[leads-unreadable]');
  });
});

test.each([
  ['--row 3', '--row needs --leads.'],
  ['--format text', '--format text needs --leads.'],
])('refuses %s without leads', async (line, message) => {
  await inProject(async (folder) => {
    const { code, err } = await command(folder, ['preview', ...line.split(' ')]);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});

test('refuses a file of leads that does not exist', async () => {
  await inProject(async (folder) => {
    const { code, err } = await command(folder, ['preview', '--leads', 'none.csv']);
    expect([code, err]).toEqual([1, expect.stringContaining('none.csv cannot be read')]);
  });
});
