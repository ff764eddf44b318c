import { execFile } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));

/** What the built program says first to a service behind TLS, once for each try. `through`: a proxy stands between. */
async function hellosOf(through: boolean): Promise<{ asked: string[]; hellos: string[] }> {
  const [asked, hellos]: [string[], string[]] = [[], []];
  const hear = (socket: Socket) =>
    socket.once('data', (data) => {
      hellos.push(data.toString('latin1'));
      socket.destroy();
    });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (!through) return hear(socket);
    return socket.once('data', (data) => {
      asked.push(String(data).split('\r\n')[0] ?? '');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      hear(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrl = `https://${through ? 'send.example.com' : place}`;
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "${baseUrl}", token_env: CAMPAIGNS_TOKEN }
`,
      'campaigns/spring.yaml': 'name: Spring\n',
    });
    const env = {
      PATH: process.env.PATH,
      CAMPAIGNS_TOKEN: 'test-token-83b1f2',
      HTTPS_PROXY: `http://${place}`,
    };
    const [code, err] = await new Promise<[unknown, string]>((resolve) => {
      execFile(process.execPath, [PROGRAM, 'plan'], { cwd: folder, env }, (error, _, stderr) =>
        resolve([error?.code, stderr]),
      );
    });
    expect(code).toBe(1);
    expect(err).toContain('GET /api/campaigns?page=1 could not be read, tried 5 times');
  });
  server.close();
  return { asked, hellos };
}

it.concurrent('the built program goes to a far service by the proxy of the environment', async () => {
  const { asked, hellos } = await hellosOf(true);
  expect(asked).toEqual(Array(5).fill('CONNECT send.example.com:443 HTTP/1.1'));
  expect(hellos).toHaveLength(5);
});

it.concurrent('it offers HTTP/1.1 and no HTTP/2, which it does not have', async () => {
  const { hellos } = await hellosOf(false);
  expect(hellos).toHaveLength(5);
  for (const hello of hellos) {
    // What TLS says first is not encrypted: each protocol, with its length in front.
    expect(hello).toContain('\x08http/1.1');
    expect(hello).not.toContain('\x02h2');
  }
});
