import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { openProject } from '../../src/index.js';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

/** The tag is another one when a V8 flag has changed. */
const settingsOfProcess = () => ({
  v8: cachedDataVersionTag(),
  cwd: process.cwd(),
  exitCode: process.exitCode,
  env: { ...process.env },
  listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
});

test('the library changes nothing of its host process, however many manifests it reads', () =>
  withFolder(async (folder) => {
    const files = Array.from({ length: 5000 }, (_, at) => [`${at}.yaml`, `name: Campaign ${at}\n`]);
    const project = 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { local: { sandbox: {} } }\n';
    await writeFiles(folder, { ...Object.fromEntries(files), 'campaignctl.yaml': project });
    const before = settingsOfProcess();
    const opened = await openProject({ cwd: folder });
    expect(await opened.validate()).toEqual([]);
    expect(settingsOfProcess()).toEqual(before);
  }));
