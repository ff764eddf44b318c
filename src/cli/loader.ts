import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** The chunks of the program, each a function of CommonJS, in a folder. `scripts`: those that were loaded, by their name without a suffix. */
export interface Chunks {
  load(name: string): unknown;
  scripts: ReadonlyMap<string, Script>;
}

/**
 * Beside a chunk lies the code that V8 made of it when the program was built. Another V8 rejects that without a word and
 * compiles the chunk, which takes two or three times as long; nothing else depends on it.
 */
export function openChunks(folder: string, require: NodeJS.Require): Chunks {
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = join(folder, `${name}.cjs`);
    // ASCII, as the build writes it.
    const source = readFileSync(filename, 'latin1');
    const cachedData = readCache(join(folder, `${name}.cache`));
    const script = new Script(source, { filename, ...(cachedData === null ? {} : { cachedData }) });
    const module = { exports: {} };
    modules.set(name, module);
    scripts.set(name, script);
    script.runInThisContext()(module.exports, requireFrom, module);
    return module.exports;
  }

  /** `./plan-ABC.js` is a chunk; all other modules are Node's own. */
  function requireFrom(name: string): unknown {
    const chunk = /^\.\/(.+)\.js$/.exec(name)?.[1];
    return chunk === undefined ? require(name) : load(chunk);
  }

  return { load, scripts };
}

function readCache(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}
