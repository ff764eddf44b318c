import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/commands/preview.js';
import type { Flags } from '../../src/cli/commands.js';
import type { Shell } from '../../src/cli/shell.js';
import { Failure } from '../../src/model/failure.js';
import { plain } from '../../src/view/terminal.js';
import { writeFiles } from '../support/command.js';
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
const FLAGS: Flags<'preview'> = {
  env: null,
  chdir: null,
  config: null,
  color: 'auto',
  noColor: false,
  quiet: false,
  debug: false,
  files: [],
  format: 'html',
  out: null,
  lead: null,
  leads: null,
};

/** A shell in a folder; `interrupt` is Ctrl-C, `said` and `printed` are what it was told. */
function shellIn(cwd: string) {
  const heard = { said: '', printed: '', interrupt: () => {} };
  const text = { paint: plain, width: 100 };
  const shell: Shell = {
    cwd,
    env: {},
    out: (more) => {
      heard.printed += more;
    },
    err: (more) => {
      heard.said += more;
    },
    onOut: text,
    onErr: text,
    annotate: () => {},
    now: () => Date.UTC(2026, 2, 2),
    rewrite: null,
    ask: null,
    onInterrupt: (stop) => {
      heard.interrupt = stop;
    },
  };
  return { shell, heard };
}

async function inProject(use: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    await use(folder);
  });
}

test('prints a page without a script, or writes it to a file', async () => {
  await inProject(async (folder) => {
    const { shell, heard } = shellIn(folder);
    expect(await run(FLAGS, shell)).toBe(0);
    expect(heard.printed).toContain('Is Northlight Studio ready for spring?');
    expect(heard.printed).not.toContain('<script');
    expect(heard.said).toBe('');
    expect(await run({ ...FLAGS, out: 'preview.html' }, shell)).toBe(0);
    expect(await readFile(join(folder, 'preview.html'), 'utf8')).toBe(heard.printed);
    expect(heard.said).toBe('Wrote preview.html: open it in a browser.\n');
  });
});

test('shows the sending calendar alone', async () => {
  await inProject(async (folder) => {
    const hours =
      'schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n';
    await writeFile(join(folder, 'campaigns/spring.yaml'), `${MANIFEST}${hours}`);
    const shown = async (more: Partial<Flags<'preview'>>) => {
      const { shell, heard } = shellIn(folder);
      expect(await run({ ...FLAGS, leads: 3, ...more }, shell)).toBe(0);
      return heard.printed;
    };
    expect(await shown({ format: 'text' })).toMatch(/3 leads: \d+ emails? on \d+ days?/);
    await shown({ format: 'text', out: 'spring.txt' });
    expect(await readFile(join(folder, 'spring.txt'), 'utf8')).toBe(await shown({ format: 'text' }));
    await writeFile(join(folder, 'campaigns/spring.yaml'), 'name: Spring\n');
    await expect(shown({ format: 'text' })).rejects.toMatchObject({ code: 'usage' });
  });
});

test('shows the emails to the people of a file, in YAML or JSON', async () => {
  await inProject(async (folder) => {
    await writeFiles(folder, {
      'one.yaml': 'first_name: Ida\ncompany: Holm & Co\n',
      'two.json': JSON.stringify([{ FIRST_NAME: 'Ole' }, { FIRST_NAME: 'Eva', COMPANY: 'Lund' }]),
      'documents.yaml': 'FIRST_NAME: Ada\n---\nFIRST_NAME: Bo\n',
    });
    const page = async (lead: string) => {
      const { shell, heard } = shellIn(folder);
      await run({ ...FLAGS, lead }, shell);
      return heard.printed;
    };
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
    const { shell } = shellIn(folder);
    const refused = await run({ ...FLAGS, lead }, shell).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Failure);
    expect(refused).toMatchObject({ code: 'lead-file-unusable', message: expect.stringMatching(message) });
  });
});

test('stops at manifests with errors, and shows where they are', async () => {
  await inProject(async (folder) => {
    await rm(join(folder, 'emails/first.html'));
    const { shell, heard } = shellIn(folder);
    await expect(run(FLAGS, shell)).rejects.toMatchObject({
      code: 'invalid-manifests',
      findings: [{ code: 'file-not-found', file: 'campaigns/spring.yaml', line: 6 }],
    });
    expect(heard.printed).toBe('');
  });
});

test('writes no page where it cannot, and leaves nothing behind', async () => {
  await inProject(async (folder) => {
    const { shell } = shellIn(folder);
    await expect(run({ ...FLAGS, out: 'none/preview.html' }, shell)).rejects.toMatchObject({
      code: 'usage',
    });
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
    const { shell, heard } = shellIn(folder);
    expect(await run({ ...FLAGS, lead: 'people.csv' }, shell)).toBe(0);
    expect(heard.said).toBe(
      'people.csv: 7 leads. 1 lacks FIRST_NAME, 1 lacks COMPANY. The page shows the first 5.\n',
    );
    expect(heard.printed).toContain('Is Northlight ready for spring?');
    expect([heard.printed.includes('C1'), heard.printed.includes('C2')]).toEqual([true, false]);
  }));
