// Bundles the program, the library and its declarations into dist/; with --no-types, only the program.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const chunks = join(dist, 'chunks');
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  alias: { undici: join(root, 'scripts/undici.cjs') },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(chunks, { recursive: true });
await launcher();
await program();
if (!process.argv.includes('--no-types')) await library();

/** dist/campaignctl.cjs: prints the version, or loads the program. */
async function launcher() {
  await build({
    ...common,
    entryPoints: { campaignctl: 'src/cli/main.ts' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(join(dist, 'campaignctl.cjs'), 0o755);
}

/**
 * dist/chunks: parts of the program that are loaded on demand. They are split as ES modules, which esbuild requires, then
 * converted to CommonJS, which starts faster.
 */
async function program() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: { program: 'src/cli/program.ts' },
    outdir: chunks,
    write: false,
    splitting: true,
    format: 'esm',
    minify: true,
    alias: {
      ...common.alias,
      // Compiling the package's emoji patterns takes half as long as starting Node, and help contains no emoji.
      'string-width': join(root, 'scripts/string-width.js'),
      // The ES module version, so that unused parts are dropped.
      yaml: join(root, 'node_modules/yaml/browser/index.js'),
    },
    // Dependencies pass it to `createRequire`.
    define: { 'import.meta.url': '"file:///"' },
  });
  for (const { path, text } of outputFiles) {
    const options = { format: 'cjs', minify: true, target: 'node20', supported: { 'dynamic-import': false } };
    const { code } = await transform(text, options);
    writeFileSync(join(chunks, basename(path)), code);
  }
  writeFileSync(join(chunks, 'package.json'), '{ "type": "commonjs" }\n');
}

/** dist/index.js and its declarations. */
async function library() {
  await build({
    ...common,
    entryPoints: { index: 'src/index.ts' },
    outdir: dist,
    splitting: true,
    format: 'esm',
    chunkNames: 'library/[name]-[hash]',
    // Some dependencies are CommonJS modules that call require at run time.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
