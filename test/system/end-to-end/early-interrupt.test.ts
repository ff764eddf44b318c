import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));

test.each(['SIGINT', 'SIGTERM'] as const)('%s while manifests are read ends a plan as everywhere', (signal) =>
  withFolder(async (folder) => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const files = Array.from({ length: 1500 }, (_, at) => [`${at}.yaml`, `name: Campaign ${at}\n`]);
    const production = { base_url: `http://127.0.0.1:${port}`, token_env: 'CAMPAIGNS_TOKEN' };
    const project = { version: 1, manifests: ['*.yaml'], environments: { production } };
    await writeFiles(folder, { ...Object.fromEntries(files), 'campaignctl.yaml': JSON.stringify(project) });
    const env = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: 'token-of-a-test' };
    const run = spawn(process.execPath, [PROGRAM, 'plan', '--json'], { cwd: folder, env });
    let out = '';
    run.stdout.on('data', (chunk) => {
      out += chunk;
    });
    await once(silent, 'request');
    run.kill(signal);
    expect(await once(run, 'close')).toEqual([130, null]);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'interrupted' } });
    silent.closeAllConnections();
    silent.close();
  }),
);
