import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A declaration with its comment, or an import. Only these begin a line: TypeScript indents what is inside of them. */
const STATEMENT =
  /^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:export|import|declare|interface|type|const|class|function)\b[^\n]*\n(?:(?![/a-z])[^\n]*\n)*/gm;
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|class|interface|type) ([\w$]+)/m;
const FROM = /^((?:import|export)(?: type)?) \{([^}]*)\} from '([^']+)\.js';/m;

/**
 * Writes the declarations that src/index.ts reaches to a folder, and none of a file that it does not reach: TypeScript writes all
 * of every file of the source.
 */
export function writeDeclarations(root, folder) {
  const all = mkdtempSync(join(root, 'dist/declarations-'));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', all], {
      cwd: root,
      stdio: 'inherit',
    });
    for (const [file, { imports, declarations, needed }] of reached(join(all, 'index.d.ts'))) {
      const path = join(folder, relative(all, file));
      mkdirSync(dirname(path), { recursive: true });
      const kept = [...declarations].filter(([name]) => needed.has(name)).map(([, text]) => text);
      writeFileSync(path, [...imports.flatMap((each) => importOf(each, needed)), ...kept].join(''));
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

/** Each file with its declarations, and the names of those that are needed. */
function reached(index) {
  const files = new Map();
  const open = (file) => {
    if (!files.has(file)) files.set(file, { ...read(file), needed: new Set() });
    return files.get(file);
  };
  const need = (file, name) => {
    const { imports, declarations, needed } = open(file);
    if (needed.has(name)) return;
    const source = imports.find(({ names }) => names.has(name));
    const text = declarations.get(name);
    if (source === undefined && text === undefined) return;
    needed.add(name);
    if (source !== undefined) need(source.file, source.names.get(name).other);
    else for (const [word] of withoutComments(text).matchAll(/[A-Za-z_$][\w$]*/g)) need(file, word);
  };
  for (const { names } of open(index).imports) for (const name of names.keys()) need(index, name);
  return files;
}

function read(file) {
  const statements = readFileSync(file, 'utf8').match(STATEMENT) ?? [];
  const imports = statements.flatMap((text) => {
    const [, keyword, list = '', path] = FROM.exec(withoutComments(text)) ?? [];
    if (path === undefined) return [];
    const words = list.split(',').map((word) => word.trim());
    const names = new Map(words.filter((word) => word !== '').map(nameIn));
    return [{ keyword, names, path: `${path}.js`, file: join(dirname(file), `${path}.d.ts`) }];
  });
  const declarations = statements.flatMap((text) => {
    const [, name] = DECLARED.exec(withoutComments(text)) ?? [];
    return name === undefined ? [] : [[name, text]];
  });
  return { imports, declarations: new Map(declarations) };
}

/** `type b as a`: [a, the name in the other file and the words]. */
function nameIn(words) {
  const [other, own = other] = words.replace(/^type /, '').split(' as ');
  return [own, { other, words }];
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '');

function importOf({ keyword, names, path }, needed) {
  const kept = [...names].filter(([name]) => needed.has(name)).map(([, { words }]) => words);
  return kept.length === 0 ? [] : [`${keyword} { ${kept.join(', ')} } from '${path}';\n`];
}
