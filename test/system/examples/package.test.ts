import { execFile, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { ROOT } from '../docs/links.js';

const execute = promisify(execFile);
let packed = '';
let tarball = '';
let size = 0;
/** Paths in the package. */
let paths: string[] = [];
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'campaignctl-'));
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', packed];
  const [about] = JSON.parse((await execute('npm', words, { cwd: ROOT })).stdout);
  tarball = join(packed, about.filename);
  size = about.size;
  paths = about.files.map(({ path }: { path: string }) => path);
}, 60_000);
afterAll(() => rm(packed, { recursive: true }));

test('the package holds only what runs, in less than 700 KB', () => {
  const parts = new Set(paths.map((path) => path.replace(/^((?:dist|docs)\/[^/]+|[^/]+).*$/, '$1')));
  expect([...parts].toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/campaignctl.cjs',
    'dist/chunks',
    'dist/index.js',
    'dist/packages.js',
    'dist/schemas',
    'dist/types',
    'docs/approvals.md',
    'docs/errors.md',
    'docs/messages.md',
    'docs/policies.md',
    'docs/rules.md',
    'package.json',
  ]);
  expect(size).toBeLessThan(700_000);
});

test('declarations are those of the library, not of the service, the state or the planner', () => {
  const folders = paths.flatMap((path) => /^dist\/types\/(\w+)\//.exec(path)?.[1] ?? []);
  expect([...new Set(folders)].toSorted()).toEqual(['model', 'operations', 'sandbox', 'view']);
});

test('declarations name no function that the library does not export', async () => {
  const exported = Object.keys(await import(join(ROOT, 'dist/index.js')));
  const files = paths.filter((path) => path.endsWith('.d.ts'));
  const texts = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
  const functions = texts.flatMap((text) =>
    Array.from(text.matchAll(/^export declare function ([\w$]+)/gm), ([, name = '']) => name),
  );
  expect(functions.length).toBeGreaterThan(3);
  expect(functions.filter((name) => !exported.includes(name))).toEqual([]);
});

/** Of the source, bundled here with everything that it imports. */
test('the package lists the licences of all packages that the program contains', async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/cli/main.ts', 'src/cli/program.ts'],
    bundle: true,
    platform: 'node',
    splitting: true,
    format: 'esm',
    outdir: 'out',
    write: false,
    metafile: true,
    alias: { 'string-width': join(ROOT, 'scripts/string-width.js') },
  });
  const bundled = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const names = bundled.flatMap(([file]) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const licences = await readFile(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const listed = licences.split(/^-{80}\n/m).slice(1);
  // The generated validators contain code of ajv, and undici the parser llhttp.
  const all = [...new Set([...names, 'ajv', 'llhttp'])].toSorted();
  expect(listed.map((text) => text.split(' ')[0])).toEqual(all);
  expect(listed.filter((text) => !/copyright/i.test(text))).toEqual([]);
});

test('the installed package runs without any other package: init, plan, apply and the examples', () =>
  withFolder(async (folder) => {
    await installPackage(folder, tarball);
    const bin = join(folder, 'node_modules/.bin/campaignctl');
    const run = (program: string, words: string[]) => {
      const env = { PATH: process.env.PATH ?? '', HOME: folder };
      const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
      return { words, status, stdout, stderr };
    };
    // The package does not have this page.
    expect(run(bin, ['explain', 'attach-running']).stdout).toContain(
      "\nIn campaignctl's repository: docs/stop.md\n",
    );
    const lines = ['init', 'apply --yes', 'plan --detailed-exitcode'];
    // Shared folders must be in a repository.
    run('git', ['init', '--quiet']);
    const examples = ['quickstart', 'agency/clients/brightmoor', 'segments'].map(
      (name) => `plan -C ${join(folder, 'examples', name)}`,
    );
    const ended = lines.map((line) => run(bin, line.split(' ')));
    await cp(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
    ended.push(...examples.map((line) => run(bin, line.split(' '))));
    expect(ended.filter(({ status, stderr }) => status !== 0 || stderr !== '')).toEqual([]);
    expect(run('npx', ['--no', 'campaignctl', 'validate'])).toMatchObject({ status: 0 });
    // Only the library imports its dependencies.
    const library = run(process.execPath, ['--input-type=module', '--eval', "import 'campaignctl';"]);
    expect(library).toMatchObject({ status: 1, stderr: expect.stringContaining('ERR_MODULE_NOT_FOUND') });
  }));

/** Prints the number of findings and of campaigns to create. */
const PROGRAM = `import { openProject, type Plan } from 'campaignctl';

const project = await openProject();
const plan: Plan = await project.plan();
console.log((await project.validate()).length, plan.summary.create);
`;

test(
  'npm installs the package with an empty cache and no scripts; the program runs, and programs compile and import the library',
  async (context) =>
    withFolder(async (folder) => {
      const run = (program: string, words: string[]) => {
        const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
        return { status, stdout, stderr };
      };
      const env = {
        ...process.env,
        npm_config_cache: join(folder, 'cache'),
        ...IMPATIENT,
      };
      const done = (stdout: unknown) => ({ status: 0, stdout, stderr: '' });
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
      const installed = run('npm', ['install', '--ignore-scripts', '--no-audit', tarball]);
      if (OFFLINE.test(installed.stderr)) return context.skip('no registry answers');
      expect(installed).toMatchObject({ status: 0 });
      const bin = join(folder, 'node_modules/.bin/campaignctl');
      expect(run(bin, ['--version'])).toEqual(done(expect.stringMatching(/^\d+\.\d+\.\d+\n$/)));
      expect(run(bin, ['init'])).toMatchObject({ status: 0 });
      const explained = run(bin, ['explain', 'attach-running']);
      expect(explained).toMatchObject({ status: 0, stdout: expect.stringContaining('needs approval') });
      expect(run(bin, ['plan'])).toEqual(done(expect.stringContaining('1 to create')));
      await mkdir(join(folder, 'node_modules/@types'));
      for (const name of ['@types/node', 'undici-types'])
        await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
      await writeFile(join(folder, 'page.ts'), PROGRAM);
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...TSCONFIG, files: ['page.ts'] }));
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      expect(run(process.execPath, [tsc, '-p', folder])).toEqual(done(''));
      expect(run(process.execPath, ['page.js'])).toEqual(done('0 1\n'));
    }),
  120_000,
);

/** A registry that does not answer must not take the whole run. */
const IMPATIENT = { npm_config_fetch_retries: '0', npm_config_fetch_timeout: '60000' };
const OFFLINE =
  /\b(?:ERR_SOCKET_TIMEOUT|network timeout|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

/** The words of npm and Node that a newcomer would take for a fault. */
const ALARMS = /npm warn|npm error|deprecat|vulnerabilit|\(node:\d+\)|ExperimentalWarning/i;

test(
  'the npm commands of the README end well on a fresh clone, print no warning, and install a copy that runs elsewhere',
  async (context) =>
    withFolder(async (folder) => {
      const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
      const lines = Array.from(readme.matchAll(/^npm .*$/gm), ([line]) => line);
      expect(lines.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
      expect(lines).toHaveLength(3);
      const { stdout } = await execute('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 2 ** 24 });
      // A few tests stand for all, because this test is one of them.
      const files = stdout.split('\0').filter((file) => !/^$|^test\/(?!model\/|support\/)/.test(file));
      const clone = join(folder, 'clone');
      for (const file of files) await cp(join(ROOT, file), join(clone, file));
      const prefix = join(folder, 'prefix');
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, npm_config_prefix: prefix, npm_config_prefer_offline: 'true', ...IMPATIENT };
      for (const line of lines) {
        const run = spawnSync(line, { cwd: clone, env, encoding: 'utf8', shell: true });
        const output = `${run.stdout}${run.stderr}`;
        if (OFFLINE.test(run.stderr)) return context.skip('no registry answers');
        expect([line, run.status, output]).toEqual([line, 0, expect.not.stringMatching(ALARMS)]);
      }
      const bin = join(prefix, 'bin/campaignctl');
      expect(realpathSync(bin)).toBe(
        join(realpathSync(prefix), 'lib/node_modules/campaignctl/dist/campaignctl.cjs'),
      );
      expect(spawnSync(bin, ['--version'], { cwd: prefix, env, encoding: 'utf8' }).status).toBe(0);
    }),
  900_000,
);

test(
  'the tarball of docs/releases.md can be installed by a runner with the repository and an empty cache',
  async (context) =>
    withFolder(async (folder) => {
      const [, block = ''] =
        /\*\*The tarball\.\*\*[\s\S]*?```\n([\s\S]*?)```/.exec(
          await readFile(join(ROOT, 'docs/releases.md'), 'utf8'),
        ) ?? [];
      const source = join(folder, 'clone');
      await rename(await installPackage(folder, tarball), source);
      const env = { ...process.env, npm_config_ignore_scripts: 'true', ...IMPATIENT };
      const run = (command: string, cwd: string, cache: string) => {
        const { status, stderr } = spawnSync(command, {
          ...{ cwd, shell: true, encoding: 'utf8' },
          env: { ...env, npm_config_cache: join(folder, cache) },
        });
        return { status, stderr };
      };
      const repository = join(folder, 'campaigns');
      await mkdir(repository);
      run(
        'git init -q && git config user.name Ada && git config user.email ada@example.com',
        repository,
        'a',
      );
      await writeFile(join(repository, '.gitignore'), 'node_modules\n');
      // Uses the result of npm pack, because npm ci in the clone would only build it again.
      const created = run(`set -e; ${block.replace('npm ci && ', '')}git commit -qm Campaigns`, source, 'a');
      if (OFFLINE.test(created.stderr)) return context.skip('no registry answers');
      expect(created).toEqual({ status: 0, stderr: expect.not.stringContaining('npm error') });
      const installed = run(
        'git clone -q campaigns runner && cd runner && npm ci --omit=dev --ignore-scripts && npx --no -- campaignctl --version',
        folder,
        'empty',
      );
      expect(installed).toEqual({ status: 0, stderr: expect.not.stringContaining('npm error') });
    }),
  300_000,
);

/** As strict as possible, including the declarations of the package. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  },
  files: ['nightly.ts', 'page.ts'],
};

test('the nightly program and that of the page compile strictly; it applies what needs no approval, and launches nothing', () =>
  withFolder(async (folder) => {
    const modules = dirname(await installPackage(folder, tarball));
    for (const name of await readdir(join(ROOT, 'node_modules')))
      if (!name.startsWith('.')) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    await cp(join(ROOT, 'examples/library/nightly.ts'), join(folder, 'nightly.ts'));
    const [, page = ''] =
      /```ts\n([\s\S]*?)```/.exec(await readFile(join(ROOT, 'docs/library.md'), 'utf8')) ?? [];
    await writeFile(join(folder, 'page.ts'), page);
    await cp(join(ROOT, 'examples/quickstart'), join(folder, 'shop'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await execute(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => ({ stdout }));
    expect(compiled.stdout).toBe('');
    const nightly = () => execute(process.execPath, ['nightly.js', 'shop', 'sandbox'], { cwd: folder });
    const { stdout } = await nightly();
    expect(stdout).toContain('1 to create, 0 unchanged');
    expect(stdout).toMatch(/: done$/m);
    const again = await nightly();
    expect(again.stdout).toContain('status  draft → running');
    expect(again.stdout).not.toContain('to create');
  }));

/** Installs a tarball as npm does, without its dependencies; returns the folder of the package. */
async function installPackage(folder: string, tarball: string): Promise<string> {
  await execute('tar', ['-xzf', tarball], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'campaignctl');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await rename(join(folder, 'package'), installed);
  await chmod(join(installed, 'dist/campaignctl.cjs'), 0o755);
  await symlink('../campaignctl/dist/campaignctl.cjs', join(modules, '.bin/campaignctl'));
  return installed;
}
