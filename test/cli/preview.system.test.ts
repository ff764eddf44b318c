import { rm } from 'node:fs/promises';
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

test('stops at manifests with errors, and shows where they are', async () => {
  await inProject(async (folder) => {
    await rm(join(folder, 'emails/first.html'));
    const { code, out, err } = await preview(folder);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^campaigns\/spring\.yaml:6:\d+ .*\[file-not-found\]$/m);
    expect(err).toContain('[invalid-manifests]');
  });
});
