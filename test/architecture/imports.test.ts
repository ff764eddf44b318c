import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SRC = join(ROOT, 'src');

const FOLDERS = tableOf(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'));

function tableOf(page: string): { [folder: string]: { imports: string[]; world: 'no' | 'yes' } } {
  const rows = [...page.matchAll(/^\| *`(\w+)` *\|[^|]*\|([^|]*)\|([^|]*)\|/gm)];
  const folders = rows.map(([, folder = '']) => folder);
  return Object.fromEntries(
    rows.map(([, folder = '', imports = '', world = '']) => [
      folder,
      {
        imports: namesIn(imports, folders, folder),
        world: /^(no|through them)$/.test(world.trim()) ? 'no' : 'yes',
      },
    ]),
  );
}

/** `model, sections (schemas)` → the names; `nothing` → none; `all but sections` → the names of all other folders. */
function namesIn(cell: string, folders: readonly string[], folder: string): string[] {
  const names: string[] = cell.replace(/\([^)]*\)/g, '').match(/\w+/g) ?? [];
  if (names[0] === 'all') return folders.filter((name) => name !== folder && !names.includes(name));
  return names.filter((name) => name !== 'nothing');
}

/** Modules that only compute, without disk, network or clock. */
const PURE_MODULES = [
  'node:crypto',
  'node:path',
  'node:path/posix',
  'ajv',
  'diff',
  'entities',
  'fast-deep-equal',
  'htmlparser2',
  'yaml',
];
const OF_NODE_PATH = ['posix'];

/** Globals that reach the world without an import. `Date` is allowed as a type and for parsing text. */
const WORLDLY =
  /\bconsole\b|\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bglobalThis\b|\bfetch\(|\bset(?:Timeout|Interval|Immediate)\(|\brandomUUID\b|\brandomBytes\b/g;

interface Import {
  file: string;
  folder: string;
  names: string;
  module: string;
  /** The imported folder of `src`; `null` for a package, '' for a file at the top of `src`. */
  to: string | null;
  /** The imported file in `src`; `null` for a package. */
  target: string | null;
}

const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.(ts|js)$/.test(name))
  .map((name) => ({ file: name, folder: folderOf(name), text: readFileSync(join(SRC, name), 'utf8') }));
const IMPORTS = SOURCES.flatMap(importsOf);

/** The first folder in `src`; '' for a file at the top of `src`. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

/** All imports: static, re-exporting, bare, dynamic and of types. An import from outside `src` counts as a package. */
function importsOf({ file, folder, text }: (typeof SOURCES)[number]): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(/^(?:import|export)\b(?:\s+([^'";()=]*?)\bfrom)?\s*['"]([^'"\n]+)['"]/gm);
  const calls = code.matchAll(/()\b(?:import|require)\s*\(\s*['"`]([^'"`\n]+)['"`]/g);
  return [...statements, ...calls].map(([, names = '', module = '']) => {
    const target = relative(SRC, join(SRC, dirname(file), module));
    const inside = module.startsWith('.') && !target.startsWith('..');
    const source = target.replace(/\.js$/, '.ts');
    return {
      file,
      folder,
      names,
      module,
      to: inside ? folderOf(target) : null,
      target: inside ? source : null,
    };
  });
}

/** The first cycle; empty if there is none. */
function circle(nodes: readonly string[], next: (node: string) => readonly string[]): string[] {
  const done = new Set<string>();
  const visit = (node: string, above: readonly string[]): string[] => {
    if (above.includes(node)) return [...above.slice(above.indexOf(node)), node];
    if (done.has(node)) return [];
    const findings = next(node).map((other) => visit(other, [...above, node]));
    done.add(node);
    return findings.find((way) => way.length > 0) ?? [];
  };
  return nodes.map((node) => visit(node, [])).find((way) => way.length > 0) ?? [];
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function importLines(matches: readonly Import[]): string[] {
  return matches.map(({ file, module }) => `${file} imports ${module}`);
}

describe('the folders of src', () => {
  it('are those of the table', () => {
    const unknown = SOURCES.filter(({ folder }) => folder !== '' && FOLDERS[folder] === undefined);
    expect(unknown.map(({ file }) => file)).toEqual([]);
    expect(Object.keys(FOLDERS).length).toBeGreaterThan(15);
    expect(IMPORTS.length).toBeGreaterThan(100);
  });

  it('import only what the table allows', () => {
    const wrong = IMPORTS.filter(
      ({ folder, to }) =>
        folder !== '' && to !== null && to !== folder && !FOLDERS[folder]?.imports.includes(to),
    );
    expect(importLines(wrong)).toEqual([]);
  });

  it('use all that the table allows them', () => {
    const unused = Object.entries(FOLDERS).flatMap(([folder, { imports }]) => {
      const used = new Set(IMPORTS.filter((match) => match.folder === folder).map(({ to }) => to));
      return imports.filter((name) => !used.has(name)).map((name) => `${folder} never imports ${name}`);
    });
    expect(unused).toEqual([]);
  });

  it('allow no cycle', () => {
    expect(circle(Object.keys(FOLDERS), (folder) => FOLDERS[folder]?.imports ?? [])).toEqual([]);
  });

  it('contain no cycle of files, not even of types', () => {
    const next = new Map(SOURCES.map(({ file }) => [file, IMPORTS.filter((result) => result.file === file)]));
    const targets = (file: string) => (next.get(file) ?? []).flatMap(({ target }) => target ?? []);
    expect(circle([...next.keys()], targets)).toEqual([]);
  });

  it('import files by a literal name with its suffix', () => {
    const relatives = IMPORTS.filter(({ module }) => module.startsWith('.'));
    expect(importLines(relatives.filter(({ module }) => !/\.(js|json)$/.test(module)))).toEqual([]);
    const computed = SOURCES.filter(({ text }) => /\bimport\s*\(\s*[^'"\s)]/.test(withoutComments(text)));
    expect(computed.map(({ file }) => file)).toEqual([]);
  });
});

describe('the folders that may not touch the world', () => {
  const pure = (folder: string) => FOLDERS[folder]?.world === 'no';

  it('import nothing that could', () => {
    const wrong = IMPORTS.filter(
      ({ folder, module, to }) =>
        pure(folder) && to === null && !PURE_MODULES.some((name) => belongs(module, name)),
    );
    expect(importLines(wrong)).toEqual([]);
  });

  it('use only parts of node:path that do not depend on the machine', () => {
    const wrong = IMPORTS.filter(({ folder, module }) => pure(folder) && module === 'node:path').filter(
      ({ names }) => !(names.match(/\w+/g) ?? []).every((name) => OF_NODE_PATH.includes(name)),
    );
    expect(importLines(wrong)).toEqual([]);
  });

  it('use no console, clock, environment, randomness or timer', () => {
    const matches = SOURCES.filter(
      ({ folder, file }) => pure(folder) && !file.includes('.generated.'),
    ).flatMap(({ file, text }) =>
      [...withoutComments(text).matchAll(WORLDLY)].map(([word]) => `${file}: ${word}`),
    );
    expect(matches).toEqual([]);
  });

  function belongs(module: string, name: string): boolean {
    return module === name || (!name.startsWith('node:') && module.startsWith(`${name}/`));
  }
});

describe('files', () => {
  it('are written by one function, atomically and durably', () => {
    const writers =
      /\b(?:writeFile|writeFileSync|rename|renameSync|createWriteStream|cpSync|copyFile|copyFileSync)\(/;
    const matches = SOURCES.filter(
      ({ folder, text }) => folder !== 'files' && writers.test(withoutComments(text)),
    );
    expect(matches.map(({ file }) => file)).toEqual([]);
  });
});

describe('the console', () => {
  it('is not used: results and messages go through the streams of the command line', () => {
    const matches = SOURCES.filter(({ text }) => /\bconsole\s*\./.test(withoutComments(text)));
    expect(matches.map(({ file }) => file)).toEqual([]);
  });
});
