import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { openChunks } from '../../src/cli/loader.js';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const FILES = {
  'plan.cjs':
    "(function(exports,require){const{basename}=require('node:path');const{name}=require('./name-A1.js');exports.said=()=>basename(`/${name()}`);})",
  'name-A1.cjs': '(function(exports){let times=0;exports.name=()=>`spring ${++times}`;})',
};

function said(folder: string): [said: string[], scripts: string[]] {
  const { load, scripts } = openChunks(folder, createRequire(import.meta.url));
  const { said: say } = load('plan') as { said(): string };
  const { said: again } = load('plan') as { said(): string };
  return [[say(), again()], [...scripts.keys()]];
}

test('a chunk is loaded once, with the chunks and the modules of Node that it requires', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    expect(said(folder)).toEqual([
      ['spring 1', 'spring 2'],
      ['plan', 'name-A1'],
    ]);
  }));

test('the built chunks are what the loader reads: ASCII, also in patterns and in templates with a tag', async () => {
  const chunks = fileURLToPath(new URL('../../dist/chunks', import.meta.url));
  const files = (await readdir(chunks)).filter((file) => file.endsWith('.cjs'));
  const texts = await Promise.all(files.map((file) => readFile(join(chunks, file), 'utf8')));
  expect(texts.length).toBeGreaterThan(10);
  expect(files.filter((_, at) => /[^\0-\x7f]/.test(texts[at] ?? ''))).toEqual([]);
});

test('what V8 has compiled for another chunk, or what is no code of V8 at all, is passed over', () =>
  withFolder(async (folder) => {
    const other = new Script('exports.said = () => "something else"').createCachedData();
    await writeFiles(folder, { ...FILES, 'plan.cache': other.toString('latin1'), 'name-A1.cache': 'none' });
    expect(said(folder)[0]).toEqual(['spring 1', 'spring 2']);
  }));

test('what V8 has compiled of a chunk is taken', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const { load, scripts } = openChunks(folder, createRequire(import.meta.url));
    load('plan');
    for (const [name, script] of scripts)
      await writeFile(join(folder, `${name}.cache`), script.createCachedData());
    const again = openChunks(folder, createRequire(import.meta.url));
    again.load('plan');
    expect([...again.scripts.values()].map((script) => script.cachedDataRejected)).toEqual([false, false]);
  }));
