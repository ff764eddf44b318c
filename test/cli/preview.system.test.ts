import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
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
