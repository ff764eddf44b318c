import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseLine } from '../../../src/cli/parser.js';
import { command } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Piece, parsePage, printPage } from './page.js';
import { fileOf, replay } from './replay.js';
import { openTerminal, type Terminal } from './terminal.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Pages whose examples have tests of their own. */
const OWN_TEST = ['docs/rules.md', 'docs/policies.md', 'docs/errors.md'];
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith('.md') && !OWN_TEST.includes(file),
);

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** What a reader of a page has before the first block: campaigns in a service, a repository. */
const READERS: Record<string, (terminal: Terminal) => unknown> = {
  'docs/configuration.md': (terminal) => terminal.write('campaigns/fair.yaml', 'name: Fair\n'),
  'docs/service.md': (terminal) => terminal.write('campaigns/fair.yaml', 'name: Fair\n'),
  'docs/existing-campaigns.md': async (terminal) => {
    await serveCampaigns(terminal);
    await terminal.run('git init --quiet');
  },
  'docs/team.md': async (terminal) => {
    await serveCampaigns(terminal);
    const project = `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${SERVICE}", token_env: CAMPAIGNS_TOKEN }\nstate: { backend: git }\n`;
    terminal.write('campaignctl.yaml', project);
    terminal.write('campaigns/autumn.yaml', 'name: Autumn\n');
    const { output, status } =
      await terminal.run(`git init --quiet && git init --quiet --bare ../origin.git \\
      && git remote add origin "$PWD/../origin.git" && export CAMPAIGNS_TOKEN=any && campaignctl apply --yes`);
    expect([status, output]).toEqual([0, expect.any(String)]);
  },
};

const SERVICE = 'https://send.example.com';

/** A service with a campaign that was made elsewhere, and git as a person has set it up. */
async function serveCampaigns(terminal: Terminal): Promise<void> {
  await terminal.run('git config --global user.name Ada && git config --global user.email ada@example.com');
  terminal.serve('campaignctl sandbox --port 4010 --file ../live.json');
  const made = await terminal.run(`mkdir ../elsewhere && cd ../elsewhere && campaignctl init \\
    && sed -i 's|sandbox: {}|{ base_url: "${SERVICE}", token_env: CAMPAIGNS_TOKEN }|; s|^  sandbox:$|  sandbox:|' campaignctl.yaml \\
    && sed -i '/^ *custom_variables:/d; /^ *lead_lists:/d' campaignctl.yaml && sed -i '/^leads:/,+1d' campaigns/spring.yaml \\
    && CAMPAIGNS_TOKEN=any campaignctl apply --yes; status=$?; cd ../project; (exit $status)`);
  expect([made.status, made.output]).toEqual([0, expect.any(String)]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.each(pages)('%s', (page) => {
  test('every block does for a reader what the page shows (`npx vitest run test/system/docs -u` writes it)', async () => {
    const port = String(await freePort());
    const terminal = openTerminal([
      [SERVICE, `http://127.0.0.1:${port}`],
      ['4010', port],
    ]);
    try {
      await READERS[page]?.(terminal);
      const pieces = parsePage(read(page));
      expect(printPage(pieces)).toBe(read(page));
      const shown: Piece[] = [];
      for (const piece of pieces) shown.push(await replay(piece, terminal));
      if (existsSync(join(terminal.folder, 'campaignctl.yaml')))
        expect(await terminal.run('campaignctl validate')).toMatchObject({ status: 0 });
      await expect(printPage(shown)).toMatchFileSnapshot(join(ROOT, page));
    } finally {
      terminal.close();
    }
  });
});

const readme = parsePage(read('README.md')).flatMap((piece) => (piece.kind === 'block' ? [piece] : []));

test('the README fits on a few screens; its first two commands are the demo and the tests', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(251);
  expect(readme.find(({ info }) => info === 'sh')?.text).toBe('npm ci && npm run demo\nnpm ci && npm test\n');
});

test('the manifest of the README is the one that init writes', () =>
  withFolder(async (folder) => {
    await command(folder, ['init']);
    for (const { text } of readme.filter(({ info }) => info === 'yaml'))
      expect(text).toBe(`# ${fileOf(text)}\n${readFileSync(join(folder, fileOf(text)), 'utf8')}`);
  }));

test('every command with npm names a script of this package', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const used = [...pages, 'CONTRIBUTING.md'].flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--\S+ |-s )*([\w:]+)/g)].map(([, name = '']) => name),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('every command of the workflow on the page about pipelines is one that the program knows', async () => {
  const [, workflow = ''] = /```yaml\n(# \.github[\s\S]*?)```/.exec(read('docs/pipelines.md')) ?? [];
  const lines = [...JSON.stringify(parse(workflow)).matchAll(/"run":"(?:npx --no )campaignctl ([^"]+)"/g)];
  expect(lines.length).toBe(3);
  for (const [, words = ''] of lines) expect(parseLine(words.split(' '), 80)).toHaveProperty('name');
});
