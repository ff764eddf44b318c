// Bundles the program, the library and its declarations into dist/; with --no-types, without declarations and licences.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { writeDeclarations } from './declarations.js';
import { writeLicences } from './licences.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const chunks = join(dist, 'chunks');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const common = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
};

/** Files of dist/chunks/packages with several packages, because whatever loads one loads the others. */
const SHARED_FILES = { entities: 'html', htmlparser2: 'html' };
const fileOf = (name) => SHARED_FILES[name] ?? name;

/** Imports of a default or of names, as esbuild writes them. */
const IMPORT = /\bimport(?: [\w$]+ from|\{([^}]*)\}from)"([^"]+)"/g;
const REQUIRE = /\brequire\("([^"]+)"\)/g;

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(chunks, 'packages'), { recursive: true });
schemas();
const start = await launcher();
const { imports, exports, metafile } = await source();
const packages = await contained(imports);
library(imports, exports);
if (!process.argv.includes('--no-types')) {
  writeDeclarations(root, join(dist, 'types'));
  writeLicences(root, [start, metafile, packages], join(dist, 'THIRD-PARTY-LICENSES.txt'));
}

/** dist/campaignctl.cjs: prints the version, or loads the program. */
async function launcher() {
  const { metafile } = await build({
    ...common,
    entryPoints: { campaignctl: 'src/cli/main.ts' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(join(dist, 'campaignctl.cjs'), 0o755);
  return metafile;
}

/**
 * dist/chunks: the source, which the program and the library share. Dependencies are loaded by dist/chunks/packages.js. Returns
 * the names that are imported from each of them, and what the library exports.
 */
async function source() {
  const { parts, metafile } = await split({
    entryPoints: { program: 'src/cli/program.ts', library: 'src/index.ts' },
    outdir: chunks,
    external: Object.keys(dependencies),
    // Compiling the package's emoji patterns takes half as long as starting Node, and help contains no emoji.
    alias: { 'string-width': join(root, 'scripts/string-width.js') },
    plugins: [{ name: 'schemas', setup: schemasInPlace }],
  });
  const outputs = Object.values(metafile.outputs);
  const imports = {};
  for (const { path, external } of outputs.flatMap(({ imports }) => imports)) {
    if (external && !isBuiltin(path) && !path.startsWith('.')) imports[path] ??= new Set();
  }
  for (const { path, text, code } of parts) {
    for (const [, names = 'default', name] of text.matchAll(IMPORT)) {
      for (const word of names.split(',')) imports[name]?.add(word.replace(/ as .*/, ''));
    }
    const load = (call, name) => (imports[name] ? `require("./packages.js").load("${name}")` : call);
    writeFileSync(path, code.replace(REQUIRE, load));
  }
  writeFileSync(join(chunks, 'package.json'), '{ "type": "commonjs" }\n');
  const { exports } = outputs.find(({ entryPoint }) => entryPoint === 'src/index.ts');
  return { imports, exports, metafile };
}

/**
 * dist/schemas: the schemas without white space. The package holds them for editors, so the program reads these instead of
 * containing them once more.
 */
function schemas() {
  const folder = join(dist, 'schemas');
  mkdirSync(folder);
  for (const file of readdirSync(join(root, 'schemas'))) {
    const schema = JSON.parse(readFileSync(join(root, 'schemas', file), 'utf8'));
    writeFileSync(join(folder, file), JSON.stringify(schema));
  }
}

function schemasInPlace({ onResolve }) {
  onResolve({ filter: /\/schemas\/.*\.json$/ }, ({ path }) => ({
    path: `../schemas/${basename(path)}`,
    external: true,
  }));
}

/** dist/chunks/packages: the parts of the dependencies that the program contains, loaded on demand by dist/chunks/packages.js. */
async function contained(imports) {
  const names = Object.keys(imports);
  const { parts, metafile } = await split({
    entryPoints: [...new Set(names.map(fileOf))].map((file) => ({ in: `imported:${file}`, out: file })),
    outdir: join(chunks, 'packages'),
    alias: {
      undici: join(root, 'scripts/undici.cjs'),
      // The ES module version, so that unused parts are dropped.
      yaml: join(root, 'node_modules/yaml/browser/index.js'),
    },
    plugins: [
      { name: 'imported', setup: (hooks) => onlyImported(hooks, imports) },
      { name: 'bytes', setup: bytes },
    ],
  });
  for (const { path, code } of parts) writeFileSync(path, code);
  const loaders = names.map((name) => `"${name}":()=>require("./packages/${fileOf(name)}.js")`);
  writeFileSync(
    join(chunks, 'packages.js'),
    `const contained={${loaders}};exports.load=(name)=>contained[name]();\n`,
  );
  return metafile;
}

/** A file has only the names that are imported; of a package that is imported on demand, all. */
function onlyImported({ onLoad, onResolve }, imports) {
  onResolve({ filter: /^imported:/ }, ({ path }) => ({
    path: path.replace('imported:', ''),
    namespace: 'imported',
  }));
  onLoad({ filter: /./, namespace: 'imported' }, ({ path }) => {
    const lines = Object.entries(imports)
      .filter(([name]) => fileOf(name) === path)
      .map(([name, words]) => `export ${words.size === 0 ? '*' : `{ ${[...words]} }`} from '${name}';`);
    return { contents: lines.join('\n'), resolveDir: root };
  });
}

/**
 * undici contains its parser of responses as Base64, once with vector instructions and once without. As bytes, it takes less
 * space in the package, and the one without is fast enough and runs on every processor.
 */
function bytes({ onLoad }) {
  const file = 'llhttp-wasm';
  onLoad({ filter: /\bllhttp(?:_simd)?-wasm\.js$/ }, ({ path }) => {
    writeFileSync(join(chunks, 'packages', `${file}.wasm`), require(join(dirname(path), `${file}.js`)));
    const read = `require('node:fs').readFileSync(require('node:path').join(__dirname, '${file}.wasm'))`;
    return { contents: `module.exports = ${read};` };
  });
}

/** dist/index.js: the library. dist/packages.js imports the dependencies that are installed next to it. */
function library(imports, exports) {
  const names = Object.keys(imports);
  const lines = [
    ...names.map((name, at) => `import * as package${at} from '${name}';`),
    `import packages from './chunks/packages.js';`,
    `const installed = { ${names.map((name, at) => `'${name}': package${at}`).join(', ')} };`,
    // Marks an ES module, whose default export is called `default`.
    'packages.load = (name) => ({ ...installed[name], __esModule: true });',
  ];
  writeFileSync(join(dist, 'packages.js'), `${lines.join('\n')}\n`);
  writeFileSync(
    join(dist, 'index.js'),
    `import './packages.js';\nimport library from './chunks/library.js';\nexport const { ${exports.join(', ')} } = library;\n`,
  );
}

/** Splits into parts that are loaded on demand: as ES modules, which esbuild requires, then as CommonJS, which starts faster. */
async function split(options) {
  const { outputFiles, metafile } = await build({
    ...common,
    write: false,
    splitting: true,
    format: 'esm',
    minify: true,
    // Dependencies pass it to `createRequire`.
    define: { 'import.meta.url': '"file:///"' },
    ...options,
  });
  const convert = async ({ path, text }) => {
    const to = { format: 'cjs', minify: true, target: common.target, supported: { 'dynamic-import': false } };
    return { path, text, code: (await transform(text, to)).code };
  };
  return { parts: await Promise.all(outputFiles.map(convert)), metafile };
}
