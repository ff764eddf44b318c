// Bundles the program, the library and its declarations into dist/; with --no-types the program alone.
//
// The program is CommonJS, in chunks that are loaded when a command needs them, each beside the code that V8 made of it
// (src/cli/loader.ts): an ES module cannot be loaded with that, and without it start-up takes three times as long.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
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
};

/** yargs without what only its platform for Node needs; the help has no characters that are wider than one column. */
const leanYargs = {
  name: 'lean-yargs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /platform-shims\/esm\.mjs$/ }, () => ({
      path: join(root, 'scripts/yargs-platform.js'),
    }));
    onResolve({ filter: /^string-width$/ }, () => ({ path: 'string-width', namespace: 'lean-yargs' }));
    onLoad({ filter: /./, namespace: 'lean-yargs' }, () => ({
      contents: 'export default (text) => text.length;',
    }));
  },
};

/** undici without what the program does not use, HTTP/2 among it: connections that do not offer it never speak it. */
const leanUndici = {
  name: 'lean-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: join(root, 'scripts/undici.js') }));
    onLoad({ filter: /undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({ contents: '' }));
  },
};

/** The table of HTML's entities as plain bytes: unpacking it takes longer than checking a manifest. */
const plainEntities = {
  name: 'plain-entities',
  setup({ onLoad }) {
    onLoad({ filter: /decode-data-html\.js$/ }, async ({ path }) => {
      const { htmlDecodeTree: tree } = await import(path);
      const bytes = Buffer.from(tree.buffer, tree.byteOffset, tree.byteLength).toString('base64');
      const contents = `export const htmlDecodeTree = new Uint16Array(Uint8Array.from(Buffer.from("${bytes}", "base64")).buffer);`;
      return { contents };
    });
  },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(chunks, { recursive: true });
await launcher();
await program();
await compiled();
if (!process.argv.includes('--no-types')) await library();

/** dist/campaignctl.cjs: what runs first. */
async function launcher() {
  await build({
    ...common,
    entryPoints: { campaignctl: 'src/cli/main.ts' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(join(dist, 'campaignctl.cjs'), 0o755);
}

/** dist/chunks/*.cjs. esbuild splits ES modules only, so each chunk is one first. */
async function program() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: { program: 'src/cli/program.ts' },
    outdir: chunks,
    write: false,
    splitting: true,
    format: 'esm',
    minify: true,
    plugins: [leanYargs, leanUndici, plainEntities],
    // A dependency makes itself a `require` with it, for packages that are in the bundle already.
    define: { 'import.meta.url': '"file:///"' },
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: true,
      supported: { 'dynamic-import': false },
    });
    writeFileSync(
      join(chunks, `${basename(path, '.js')}.cjs`),
      `(function(exports,require,module){${inAscii(code)}\n})`,
    );
  }
}

/** The loader reads bytes. esbuild writes other characters as they are in patterns and in templates with a tag. */
function inAscii(code) {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('A character that is not ASCII stands behind a backslash.');
  return code.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** dist/index.js and its declarations. */
async function library() {
  await build({
    ...common,
    entryPoints: { index: 'src/index.ts' },
    outdir: dist,
    splitting: true,
    format: 'esm',
    minifySyntax: true,
    chunkNames: 'library/[name]-[hash]',
    // Some dependencies are CommonJS and call require at run time.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}

/**
 * dist/chunks/*.cache. Every chunk is loaded, and help and validate are gone through: what V8 compiled for that is kept. The
 * code of what other commands do is left out: to read it takes as long as to compile it.
 */
async function compiled() {
  const { openChunks } = await import(await asModule('src/cli/loader.ts'));
  const { load, scripts } = openChunks(chunks, createRequire(import.meta.url));
  const { run } = load('program');
  const commands = readdirSync(join(root, 'src/cli/commands')).map((file) => basename(file, '.ts'));
  const folder = mkdtempSync(join(tmpdir(), 'build-'));
  const sink = { write: () => {}, isTTY: false, columns: undefined };
  process.chdir(folder);
  try {
    const lines = [['init', '.'], ['--help'], ['validate', 'campaigns/spring.yaml']];
    for (const line of [...lines, ...commands.map((name) => ['--get-completions', name, '--'])]) {
      const code = await run(line, { stdout: sink, stderr: sink });
      if (code !== 0) throw new Error(`campaignctl ${line.join(' ')} ended with ${code}`);
    }
    for (const [name, script] of scripts)
      writeFileSync(join(chunks, `${name}.cache`), script.createCachedData());
  } finally {
    process.chdir(root);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A module of the tree, as something to import. */
async function asModule(entry) {
  const { outputFiles } = await build({ ...common, entryPoints: [entry], write: false, format: 'esm' });
  return `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`;
}
