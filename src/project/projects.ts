import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYaml } from '../manifest/index.js';
import { BRANCH } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import { FILE_NAME } from './project.js';

/** The folders below `cwd` that hold a project, relative to it and sorted; '.' is itself. Not in dot-folders and node_modules, nor through links. */
export async function findProjects(cwd: string): Promise<string[]> {
  const files = await filesBelow(cwd, [FILE_NAME]);
  if (files.length > 0) return files.map((file) => dirname(file)).sort();
  throw new Failure({
    code: 'no-project',
    message: `There is no ${FILE_NAME} in ${join(cwd, '.')} or below it.`,
    hint: '--recursive takes the projects below the working directory: change into the folder that holds them.',
  });
}

async function filesBelow(cwd: string, names: readonly string[]): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  return glob(
    names.map((name) => `**/${name}`),
    { cwd, ignore: ['**/node_modules/**'], followSymbolicLinks: false, expandDirectories: false },
  );
}

/** A project file has a page or two. */
const MOST_READ = 4_000_000;

/** What is written after a key, as far as that can be told of a text that is no YAML. */
function valuesOf(text: string, key: string): string[] {
  const written = new RegExp(`${key}["']?\\s*:\\s*(?:&\\S+\\s+)?["']?([^\\s"',}]+)`, 'g');
  return Array.from(text.matchAll(written), ([, value = '']) => value);
}

/** A project file that keeps the state of an environment on a branch. */
export interface BranchClaim {
  /** From the folder that was searched. */
  file: string;
  /** Null: not known. */
  environment: string | null;
  remote: string;
  branch: string;
  /** What it says of its folder in the repository; null: nothing. */
  project: string | null;
}

/** What the project files below a folder, of the usual name or of this one, say of the branches of their states, whatever is wrong with them. */
export async function branchClaims(top: string, name = FILE_NAME): Promise<BranchClaim[]> {
  const files = await filesBelow(top, [...new Set([FILE_NAME, name])]);
  return files.sort().flatMap((file): BranchClaim[] => {
    const text = lenientText(join(top, file));
    const [document] = parseYaml(FILE_NAME, text).documents;
    const claim = { file, ...BRANCH };
    if (!isObject(document?.value) || !isObject(document.value.environments))
      return valuesOf(text, 'project').map((project) => ({ ...claim, environment: null, project }));
    const { environments, state: shared } = document.value;
    return Object.entries(environments).flatMap(([environment, one]) => {
      const own = isObject(one) ? one.state : undefined;
      const state = { ...(isObject(shared) ? shared : {}), ...(isObject(own) ? own : {}) };
      if (state.backend !== 'git' || (isObject(one) && one.sandbox !== undefined)) return [];
      const [remote, branch] = [wordOf(state.remote) || BRANCH.remote, wordOf(state.branch) || BRANCH.branch];
      const project = wordOf(state.project) || null;
      return [{ file, environment, remote, branch, project }];
    });
  });
}

function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a file in any encoding, as far as ASCII goes; empty where it cannot be read. */
function lenientText(path: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MOST_READ) return '';
    return readFileSync(path, 'utf8').replace(/^\uFEFF|\0/g, '');
  } catch {
    return '';
  }
}

/** One part of many, from 1. */
export interface Shard {
  index: number;
  total: number;
}

/** More machines than any pipeline starts. */
const MOST_SHARDS = 1000;

/** What `--shard` asks for: `2/8`, or what the pipeline says of its own parallel jobs. */
export function shardOf(
  written: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Shard | null {
  if (written === null) return null;
  const [index, total] = written === 'auto' ? shardOfPipeline(env) : partsOf(written);
  const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 1;
  if (isWhole(index) && isWhole(total) && index <= total && total <= MOST_SHARDS) return { index, total };
  throw usage(
    written === 'auto'
      ? `The variables of the pipeline say part ${index} of ${total}, which is none.`
      : `--shard takes I/N, such as 2/8, not "${written}".`,
    `I counts from 1 to N, and N is ${MOST_SHARDS} at most.`,
  );
}

function partsOf(written: string): [number, number] {
  const [, index, total] = /^(\d+)\/(\d+)$/.exec(written) ?? [];
  return [Number(index), Number(total)];
}

/** What tells a job which part it is. `from`: where its index begins. */
const PIPELINES = [
  { index: 'CI_NODE_INDEX', total: 'CI_NODE_TOTAL', from: 1 },
  { index: 'JOB_COMPLETION_INDEX', total: 'CAMPAIGNCTL_SHARDS', from: 0 },
  { index: 'BUILDKITE_PARALLEL_JOB', total: 'BUILDKITE_PARALLEL_JOB_COUNT', from: 0 },
] as const;

function shardOfPipeline(env: Readonly<Record<string, string | undefined>>): [number, number] {
  const [found, second] = PIPELINES.filter(({ index }) => env[index] !== undefined);
  const numberOf = (name: string) => {
    const value = env[name] ?? '';
    if (/^\d+$/.test(value)) return Number(value);
    throw usage(
      `${name} is ${value === '' ? 'empty' : `"${value}"`}, which is no number.`,
      'Set it to a number, or write which part is meant: --shard 2/8.',
    );
  };
  // GitLab sets the total to 1 in a job that is not parallel.
  if (found === undefined && env.CI_NODE_TOTAL === '1') return [1, 1];
  if (found === undefined)
    throw usage(
      '--shard auto finds no variable that tells which part this is.',
      `It reads ${PIPELINES.map(({ index, total }) => `${index} and ${total}`).join(', or ')}. Write --shard 2/8 instead.`,
    );
  if (second !== undefined)
    throw usage(
      `--shard auto finds both ${found.index} and ${second.index}.`,
      'Write which part is meant: --shard 2/8.',
    );
  if (env[found.total] === undefined)
    throw usage(
      `${found.index} is set, and ${found.total} is not.`,
      `Set ${found.total} to the number of parts.`,
    );
  return [numberOf(found.index) + 1 - found.from, numberOf(found.total)];
}

/**
 * The part of some things that a shard takes, in their order: the heaviest first, each to the shard that has least. Every machine that
 * sees the same things comes to the same parts, which are disjoint and together all. `key` tells things of equal weight apart.
 */
export function partOf<Thing extends { key: string; weight: number }>(
  things: readonly Thing[],
  { index, total }: Shard,
): Thing[] {
  const loads = Array.from({ length: total }, () => ({ weight: 0, number: 0 }));
  const byKey = (one: Thing, other: Thing) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);
  const own = new Set<Thing>();
  for (const thing of [...things].sort((one, other) => other.weight - one.weight || byKey(one, other))) {
    let least = 0;
    for (const [at, load] of loads.entries()) {
      const best = loads[least] ?? load;
      if (load.weight < best.weight || (load.weight === best.weight && load.number < best.number)) least = at;
    }
    const load = loads[least];
    if (load === undefined) continue;
    load.weight += thing.weight;
    load.number += 1;
    if (least === index - 1) own.add(thing);
  }
  return things.filter((thing) => own.has(thing));
}
