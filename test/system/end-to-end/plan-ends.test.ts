import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));

/** Starts a plan of 200 manifests against a service that never answers. */
async function withPlan(
  argv: readonly string[],
  use: (run: ReturnType<typeof spawn>, service: ReturnType<typeof createServer>) => Promise<void>,
) {
  await withFolder(async (folder) => {
    const service = createServer();
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const files = Array.from({ length: 200 }, (_, at) => [`${at}.yaml`, `name: Campaign ${at}\n`]);
    const production = { base_url: `http://127.0.0.1:${port}`, token_env: 'CAMPAIGNS_TOKEN' };
    const project = { version: 1, manifests: ['*.yaml'], environments: { production } };
    await writeFiles(folder, { ...Object.fromEntries(files), 'campaignctl.yaml': JSON.stringify(project) });
    const env = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: 'token-of-a-test' };
    const run = spawn(process.execPath, [PROGRAM, 'plan', ...argv], { cwd: folder, env, timeout: 10_000 });
    try {
      await use(run, service);
    } finally {
      service.closeAllConnections();
      service.close();
    }
  });
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a plan that waits for the service', (signal) =>
  withPlan(['--json'], async (run, service) => {
    let out = '';
    run.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    await once(service, 'request');
    run.kill(signal);
    expect(await once(run, 'close')).toEqual([130, null]);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'interrupted' } });
  }),
);
