import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseLine } from '../../../src/cli/parser.js';
import { command } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { linkedPages, linksOf, lostLinks, ROOT, read } from './links.js';
import { openTerminal, type Terminal } from './terminal.js';

/** Pages whose examples have separate tests. */
const OWN_TEST = ['docs/rules.md', 'docs/policies.md', 'docs/errors.md'];
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith('.md') && !OWN_TEST.includes(file),
);

/** A fenced block of a Markdown page with its language, or the text between two blocks. */
type Piece = { kind: 'block'; info: string; text: string } | { kind: 'prose'; text: string };

const BLOCK = /^```(\w*)\n([\s\S]*?)^```\n/gm;

const READERS: Record<string, (terminal: Terminal) => unknown> = {
  'README.md': async (terminal) => {
    terminal.serve('campaignctl sandbox --port 4010 --file ../live.json');
    await succeed(terminal, 'export CAMPAIGNS_TOKEN=any');
  },
  'docs/configuration.md': (terminal) => terminal.write('campaigns/fair.yaml', 'name: Fair\n'),
  'docs/service.md': serveCampaigns,
  'docs/preview.md': (terminal) =>
    terminal.write(
      'leads.csv',
      'First Name;Company;Phone\nAnna;Northlight;020 7946 0001\nBo;;020 7946 0002\nCleo;Harbour;\n',
    ),
  'docs/existing-campaigns.md': async (terminal) => {
    await serveCampaigns(terminal);
    await terminal.run('git init --quiet');
  },
  'docs/clients.md': async (terminal) => {
    await setUpGit(terminal);
    terminal.serve('campaignctl sandbox --port 4010 --file ../live.json');
    // The workspace of the other client, whose address the page does not show.
    const port = await freePort();
    terminal.serve(`campaignctl sandbox --port ${port} --file ../other.json`);
    terminal.write('agency.yaml', 'defaults: { on_removal: pause }\n');
    const project = `version: 1\nextends: ../../agency.yaml\nmanifests: [campaigns/**/*.yaml]\nstate: { backend: git, id: 5f1c20a9be37, branch: campaignctl/clients/brightmoor }\nenvironments:\n  production: { base_url: "http://127.0.0.1:${port}", token_env: BRIGHTMOOR_TOKEN }\n`;
    terminal.write('clients/brightmoor/campaignctl.yaml', project);
    terminal.write('clients/brightmoor/campaigns/spring.yaml', 'name: Spring\n');
    await succeed(terminal, 'git init --quiet && git init --quiet --bare ../origin.git');
    await succeed(terminal, 'git remote add origin "$PWD/../origin.git" && export BRIGHTMOOR_TOKEN=other');
    await succeed(terminal, 'campaignctl apply -C clients/brightmoor --yes');
    await succeed(
      terminal,
      'git add agency.yaml clients && git commit --quiet --message "Brightmoor is a client"',
    );
  },
  'docs/team.md': async (terminal) => {
    await serveCampaigns(terminal);
    const project = `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${SERVICE}", token_env: CAMPAIGNS_TOKEN }\nstate: { backend: git }\n`;
    terminal.write('campaignctl.yaml', project);
    terminal.write('campaigns/autumn.yaml', 'name: Autumn\n');
    await succeed(terminal, 'git init --quiet && git init --quiet --bare ../origin.git');
    await succeed(terminal, 'git remote add origin "$PWD/../origin.git" && export CAMPAIGNS_TOKEN=any');
    await succeed(terminal, 'campaignctl apply --yes');
  },
};

const SERVICE = 'https://send.example.com';

/** Git as a person has set it up. */
async function setUpGit(terminal: Terminal): Promise<void> {
  await succeed(
    terminal,
    'git config --global user.name Ada && git config --global user.email ada@example.com',
  );
}

/** A service with a campaign that was made elsewhere, and git. */
async function serveCampaigns(terminal: Terminal): Promise<void> {
  await setUpGit(terminal);
  terminal.serve('campaignctl sandbox --port 4010 --file ../live.json');
  await succeed(terminal, 'mkdir ../elsewhere && cd ../elsewhere && export CAMPAIGNS_TOKEN=any');
  await succeed(terminal, 'campaignctl init');
  await succeed(
    terminal,
    `sed -i 's|sandbox: {}|{ base_url: "${SERVICE}", token_env: CAMPAIGNS_TOKEN }|; s|^  sandbox:$|  sandbox:|' campaignctl.yaml \\
    && sed -i '/^ *custom_variables:/d; /^ *lead_lists:/d' campaignctl.yaml && sed -i '/^leads:/,+1d' campaigns/spring.yaml`,
  );
  await succeed(terminal, 'campaignctl apply --yes');
  await succeed(terminal, 'cd ../project && unset CAMPAIGNS_TOKEN');
}

async function succeed(terminal: Terminal, line: string): Promise<void> {
  const { output, status } = await terminal.run(line);
  expect([status, output]).toEqual([0, expect.any(String)]);
}

/** Below the ephemeral ports, so that no other test takes it meanwhile. */
async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(pages)('%s', (page) => {
  test('every block has the result that the page shows (`npx vitest run test/system/docs -u` updates the page)', async () => {
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

test('the README is short, and its first two commands are the demo and the tests', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(181);
  const [demo, tests] = readme.filter(({ info }) => info === 'sh');
  expect([demo?.text, tests?.text]).toEqual(['npm ci && npm run demo\n', 'npm ci && npm test\n']);
});

test('the manifest in the README is the one that init writes', () =>
  withFolder(async (folder) => {
    await command(folder, ['init']);
    for (const { text } of readme.filter(({ info }) => info === 'yaml'))
      expect(text).toBe(`# ${fileOf(text)}\n${readFileSync(join(folder, fileOf(text)), 'utf8')}`);
  }));

test('every npm command names an existing script', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const used = [...pages, 'CONTRIBUTING.md'].flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--\S+ |-s )*([\w:]+)/g)].map(([, name = '']) => name),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
});

/** The commands in code and in blocks of a page, without comments and what follows in the shell. */
function commandsOf(page: string): string[] {
  const code = parsePage(page).flatMap((piece) =>
    piece.kind === 'block'
      ? [...piece.text.matchAll(/^(?:\$ )?(campaignctl .*)$/gm)]
      : [...piece.text.matchAll(/`(campaignctl\s[^`]+)`/g)],
  );
  return code.map(
    ([, line = '']) =>
      line
        .replace(/\s+/g, ' ')
        .split(/ #|[|>;&\\]/)[0]
        ?.trim() ?? '',
  );
}

test('every command on a page exists, with its options', () => {
  const failures = linkedPages.flatMap((page) =>
    commandsOf(read(page)).flatMap((line) => {
      const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
      try {
        parseLine(
          words.slice(1).map((word) => word.replace(/["']/g, '')),
          80,
        );
        return [];
      } catch (error) {
        // The name of a command alone, or with the option that is meant, stands for all its arguments.
        return /is missing|needs a value/.test(String(error)) && words.length <= 3
          ? []
          : [`${page}: ${line}: ${error}`];
      }
    }),
  );
  expect(failures).toEqual([]);
});

test('every command in the workflow on the page about pipelines exists', async () => {
  const [, workflow = ''] = /```yaml\n(# \.github[\s\S]*?)```/.exec(read('docs/pipelines.md')) ?? [];
  const lines = [...JSON.stringify(parse(workflow)).matchAll(/"run":"(?:npx --no )campaignctl ([^">]+)/g)];
  expect(lines.length).toBe(4);
  for (const [, words = ''] of lines) expect(parseLine(words.trim().split(' '), 80)).toHaveProperty('name');
  // Without stored credentials, git reads the state branch of a private repository as in the pipeline of many projects.
  const variables = [workflow, read('examples/ci/projects/github/plan.yml')].map((text) => {
    const steps = Object.values(Object(parse(text)).jobs).flatMap((job) => Object(job).steps);
    return steps.find(({ run = '' }) => / plan /.test(run))?.env;
  });
  expect(variables[0]).toEqual(variables[1]);
});

test('every link between the pages has a target', () => {
  expect(linkedPages.flatMap((page) => linksOf(read(page))).length).toBeGreaterThan(60);
  expect(lostLinks(linkedPages, (path) => existsSync(join(ROOT, path)))).toEqual([]);
});

test('every file and folder of this repository that a page names exists', () => {
  const folders = readdirSync(ROOT).concat(readdirSync(join(ROOT, 'src')));
  const isOurs = (path: string) => folders.includes(path.split('/')[0] ?? '') || /\.[jt]s$/.test(path);
  // Words in capitals are placeholders.
  const named = linkedPages.flatMap((page) =>
    [...read(page).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) =>
      code
        .split(' ')
        .filter((word) => /^[\w-]+(?:\/[\w.-]+)+$/.test(word) && isOurs(word) && !/[A-Z]{3}/.test(word))
        .map((path) => ({ page, path })),
    ),
  );
  const lost = named.filter(({ path }) =>
    [path, `src/${path}`].every((place) => !existsSync(join(ROOT, place))),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(lost).toEqual([]);
});

test('each picture is small, and exists for light and dark', () => {
  const pictures = readdirSync(join(ROOT, 'docs/pictures'));
  expect(pictures.toSorted()).toEqual(
    ['comment', 'email', 'page', 'plan'].flatMap((name) =>
      ['dark', 'light'].map((theme) => `${name}-${theme}.${name === 'plan' ? 'svg' : 'webp'}`),
    ),
  );
  expect(pictures.filter((file) => statSync(join(ROOT, 'docs/pictures', file)).size > 100_000)).toEqual([]);
  expect(pictures.filter((file) => !read('README.md').includes(`docs/pictures/${file}`))).toEqual([]);
});

/** The first line of a block names its file. */
function fileOf(text: string): string {
  const [, file] = /^# (\S+)\n/.exec(text) ?? [];
  if (file === undefined) throw new Error(`A block of a file begins with its name, not with:\n${text}`);
  return file;
}

/**
 * Does what a reader does: writes files (`yaml`), edits them (`diff`) and runs commands (`sh`, and `console` with their
 * output). Returns what the reader sees. Ignores other blocks (`yml`, `ts` and those without a language).
 */
async function replay(piece: Piece, terminal: Terminal): Promise<Piece> {
  if (piece.kind !== 'block') return piece;
  if (piece.info === 'yaml') terminal.write(fileOf(piece.text), piece.text);
  if (piece.info === 'diff') change(piece.text, terminal);
  if (piece.info === 'sh') await type(piece.text, terminal);
  if (piece.info !== 'console') return piece;
  const entries: string[] = [];
  for (const entry of piece.text.split(/^(?=\$ )/m)) entries.push(await retype(entry, terminal));
  return { ...piece, text: `${entries.join('\n\n')}\n` };
}

/** Replaces lines with `-` by the following lines with `+`. */
function change(text: string, terminal: Terminal): void {
  const file = fileOf(text);
  const hunks = [...text.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)*)/gm)];
  if (hunks.length === 0) throw new Error(`A diff changes something, unlike:\n${text}`);
  const lines = (part = '') => part.replace(/^[-+]/gm, '');
  for (const [, from, to] of hunks) terminal.edit(file, lines(from), lines(to));
}

/**
 * Runs commands whose output the page does not show, except for those that install packages, which `npm run check` and
 * pipelines run.
 */
async function type(text: string, terminal: Terminal): Promise<void> {
  if (/^npm /.test(text)) return;
  const isServer = /^campaignctl sandbox /.test(text);
  const { output, status } = isServer ? terminal.serve(text) : await terminal.run(text);
  if (status !== 0) throw new Error(`${text}ended with ${status}:\n${output}`);
}

/** Runs a command, and returns the parts of its output that the page shows. `…` replaces omitted lines. */
async function retype(entry: string, terminal: Terminal): Promise<string> {
  const [line = '', ...shown] = entry.trimEnd().split('\n');
  const output = (await terminal.run(line.slice(2))).output.trimEnd();
  const start = shown[0] === '…' ? `\n${output}`.indexOf(`\n${shown[1]}\n`) : -1;
  if (start >= 0) return `${line}\n…\n${output.slice(start)}`;
  if (shown.at(-1) !== '…') return `${line}\n${output}`;
  const lines = output.split('\n').slice(0, shown.length - 1);
  return [line, ...lines, '…'].join('\n');
}

/** Splits a page into fenced blocks and the text between them. */
function parsePage(page: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const prose = (end: number) => {
    if (end > at) pieces.push({ kind: 'prose', text: page.slice(at, end) });
  };
  for (const { index, 0: whole, 1: info = '', 2: text = '' } of page.matchAll(BLOCK)) {
    prose(index);
    at = index + whole.length;
    pieces.push({ kind: 'block', info, text });
  }
  prose(page.length);
  return pieces;
}

/** Joins the parts to the exact page. */
function printPage(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece.kind === 'prose' ? piece.text : `\`\`\`${piece.info}\n${piece.text}\`\`\`\n`))
    .join('');
}
