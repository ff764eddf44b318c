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

/** Calls of named functions, by module. Anonymous callbacks count as part of the enclosing function. */
type Calls = Map<string, Map<string, number>>;

async function callsIn(coverage: string): Promise<Calls> {
  const calls: Calls = new Map();
  for (const file of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as Coverage;
    for (const script of result) {
      if (!script.url.includes('/.cache/walk/src/')) continue;
      const module = relative(COMPILED, fileURLToPath(script.url)).replace(/\.js$/, '.ts');
      const ran = script.functions.flatMap(({ functionName, ranges: [range] }) =>
        functionName !== '' && range !== undefined && range.count > 0
          ? [[functionName, range.count] as const]
          : [],
      );
      if (ran.length > 0) calls.set(module, new Map(ran));
    }
  }
  calls.delete('main.mjs');
  return calls;
}

/** The number of modules and functions in these folders; in all of them if none is given. */
function sizeOf(calls: Calls, folders?: readonly string[]): { modules: number; functions: number } {
  const chosen = [...calls].filter(
    ([module]) => folders === undefined || folders.includes(module.split('/')[0] ?? ''),
  );
  return {
    modules: chosen.length,
    functions: chosen.reduce((sum, [, functions]) => sum + functions.size, 0),
  };
}

function print(title: string, calls: Calls): void {
  const folders = [...new Set([...calls.keys()].map((module) => module.split('/')[0] ?? ''))].sort();
  const line = (name: string, { modules, functions }: ReturnType<typeof sizeOf>) =>
    `${name}: ${modules} modules, ${functions} functions\n`;
  process.stdout.write(line(title, sizeOf(calls)));
  for (const folder of folders) process.stdout.write(`  ${line(folder, sizeOf(calls, [folder]))}`);
  if (process.env.WALK === undefined) return;
  for (const [module, functions] of [...calls].sort()) process.stdout.write(`${module} ${functions.size}\n`);
}

const manifest = (cap: number) => `name: Spring
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 50, plain_text: false, reputation_building: false }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hello, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
`;

/** Plans, then applies a changed setting. */
async function walk(): Promise<{ plan: Calls; apply: Calls }> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    return await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
        'campaigns/spring.yaml': manifest(100),
      });
      await campaignctl(folder, ['apply', '--yes']);
      await writeFiles(folder, { 'campaigns/spring.yaml': manifest(200) });
      const traced = async (name: string, argv: string[]) => {
        await mkdir(join(folder, name));
        const out = await campaignctl(folder, argv, join(folder, name));
        return { out, calls: await callsIn(join(folder, name)) };
      };
      const plan = await traced('plan-coverage', ['plan']);
      expect(plan.out).toContain('1 to change');
      const apply = await traced('apply-coverage', ['apply', '--yes']);
      expect(apply.out).toContain('1 changed, 0 unchanged');
      return { plan: plan.calls, apply: apply.calls };
    });
  } finally {
    await service.close();
  }
}

it('a plan and an apply of one changed setting walk through few functions, and decode each response once', async () => {
  await compile();
  try {
    const { plan, apply } = await walk();
    print('plan', plan);
    print('apply', apply);
    expect([...plan.keys()].filter((module) => module.startsWith('apply/'))).toEqual([]);
    expect(plan.has('plan/refresh.ts')).toBe(true);
    expect(sizeOf(plan, CORE).modules).toBeLessThan(60);
    expect(sizeOf(plan, ['plan', 'sections']).functions).toBeLessThan(240);
    // A report is a document that one of three renderers prints: about 60 functions more than one view for each form. The
    // rules about what people type are about 75 more, those about what people notice first about 15, and rules that quote lines
    // as the file has them, commands and paths as the reader can use them, unmanaged and unchanged campaigns about 50.
    expect(sizeOf(plan).functions).toBeLessThan(1_005);
    expect(sizeOf(apply).functions).toBeLessThan(1_230);
    const decoded = (calls: Calls) =>
      ['decodeCampaign', 'readHours', 'readSequence'].map((name) => calls.get('service/live.ts')?.get(name));
    expect(decoded(plan)).toEqual([1, 1, 1]);
    // The last look and the read-back each read the record once more.
    expect(decoded(apply)).toEqual([3, 1, 1]);
  } finally {
    await rm(CACHE, { recursive: true, force: true });
  }
});
