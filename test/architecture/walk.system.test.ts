import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** In the repository, so that packages are found. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'walk');
const COMPILED = join(CACHE, 'src');

/** The folders between a parsed manifest and the socket. */
const CORE = ['plan', 'sections', 'service', 'state'];

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/** One module for each source file, without a bundle. */
async function compile(): Promise<void> {
  const files = await readdir(join(ROOT, 'src'), { recursive: true });
  const entryPoints = files.filter((file) => /\.(ts|js)$/.test(file)).map((file) => join(ROOT, 'src', file));
  await build({
    entryPoints,
    outbase: join(ROOT, 'src'),
    outdir: COMPILED,
    format: 'esm',
    logLevel: 'silent',
  });
  await copyFile(join(ROOT, 'package.json'), join(CACHE, 'package.json'));
  await writeFile(join(COMPILED, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(COMPILED, 'main.mjs'),
    `import { run } from './cli/program.js';\nprocess.exitCode = await run(process.argv.slice(2));\n`,
  );
}

async function campaignctl(cwd: string, argv: string[], coverage?: string): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, CAMPAIGNS_TOKEN: TOKEN },
    ...(coverage === undefined ? {} : { NODE_V8_COVERAGE: coverage }),
  };
  const child = spawn(process.execPath, [join(COMPILED, 'main.mjs'), ...argv], { cwd, env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (out += part));
  const [code] = await once(child, 'close');
  expect(code, out).toBe(0);
  return out;
}

/** Executed named functions, by module. Anonymous callbacks count as part of the enclosing function. */
async function functionsOf(coverage: string): Promise<Map<string, number>> {
  const functions = new Map<string, number>();
  for (const file of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as Coverage;
    for (const script of result) {
      if (!script.url.includes('/.cache/walk/src/')) continue;
      const module = relative(COMPILED, fileURLToPath(script.url)).replace(/\.js$/, '.ts');
      const ran = script.functions.filter(
        ({ functionName, ranges }) => functionName !== '' && ranges[0]?.count,
      );
      if (ran.length > 0) functions.set(module, ran.length);
    }
  }
  functions.delete('main.mjs');
  return functions;
}

const manifest = (cap: number) => `name: Spring
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 50, plain_text: false }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hello, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
`;

it('prints the modules and functions that a plan of one changed setting executes', async () => {
  await compile();
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
        'campaigns/spring.yaml': manifest(100),
      });
      await campaignctl(folder, ['apply', '--yes']);
      await writeFiles(folder, { 'campaigns/spring.yaml': manifest(200) });
      const coverage = join(folder, 'coverage');
      await mkdir(coverage);
      expect(await campaignctl(folder, ['plan'], coverage)).toContain('1 to change');
      const functions = await functionsOf(coverage);
      const rooms = new Map<string, [modules: number, functions: number]>();
      for (const [module, number] of functions) {
        const room = module.split('/')[0] ?? '';
        const [modules, all] = rooms.get(room) ?? [0, 0];
        rooms.set(room, [modules + 1, all + number]);
      }
      const total = (names: Iterable<string>) =>
        [...names].reduce<readonly [number, number]>(
          ([modules, all], name) => [
            modules + (rooms.get(name)?.[0] ?? 0),
            all + (rooms.get(name)?.[1] ?? 0),
          ],
          [0, 0],
        );
      const line = (name: string, [modules, all]: readonly [number, number]) =>
        `${name}: ${modules} modules, ${all} functions\n`;
      process.stdout.write(line('program', total(rooms.keys())));
      const core = total(CORE);
      process.stdout.write(line('core (plan, sections, service, state)', core));
      expect(core[0]).toBeLessThan(60);
      // 12 of them decide which list rows stand for records.
      expect(core[1]).toBeLessThan(395);
      for (const [room, numbers] of [...rooms].sort()) process.stdout.write(`  ${line(room, numbers)}`);
      if (process.env.WALK)
        process.stdout.write(
          `${[...functions]
            .map((pair) => pair.join(' '))
            .sort()
            .join('\n')}\n`,
        );
      expect(functions.has('plan/refresh.ts')).toBe(true);
      expect([...functions.keys()].filter((module) => module.startsWith('apply/'))).toEqual([]);
    });
  } finally {
    await service.close();
    await rm(CACHE, { recursive: true, force: true });
  }
});
