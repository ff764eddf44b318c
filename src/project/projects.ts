import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYaml } from '../manifest/index.js';
import { BRANCH } from '../model/environment.js';
import { Failure } from '../model/failure.js';
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

/** The values of `project:` in a text that is no YAML. */
function projectsIn(text: string): string[] {
  const written = /project["']?\s*:\s*(?:&\S+\s+)?["']?([^\s"',}]+)/g;
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
      return projectsIn(text).map((project) => ({ ...claim, environment: null, project }));
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
