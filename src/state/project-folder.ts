import { existsSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { BranchHead } from './files.generated.js';
import { formerFolder, otherOwner, otherOwnerOf, otherProject, unknownProject } from './git-failures.js';
import type { Git } from './git-process.js';

/** Which folder of its repository a project lies in, and which of several that name one branch it belongs to. */
export interface ProjectFolderOptions {
  /** The folder of the project. */
  root: string;
  /** The name of the project file. */
  projectFile: string;
  /** What the project file says of the folder of the project in its repository, '.' for its root; null: git tells. */
  project: string | null;
  /**
   * The project files below the top of a repository whose state would be on a branch of this beginning and environment, each as its path
   * there, with what they say of their folder.
   */
  claims(top: string): Promise<readonly { file: string; project: string | null }[]>;
}

export function projectFolder(options: ProjectFolderOptions, { around }: Pick<Git, 'around'>) {
  const { root, projectFile: name, claims } = options;
  const written = options.project === '.' ? '' : options.project;
  let asked: ReturnType<typeof ask> | null = null;

  /** The top of the repository, and the folder of the project from there; null: git does not tell. */
  async function ask() {
    const { code, out, err } = await around([
      'rev-parse',
      '--is-inside-work-tree',
      '--show-cdup',
      '--show-prefix',
    ]);
    const told = code === 0 ? out.toString('utf8') : '';
    const [, up = null, found = ''] = /^true\n([./]*)\n(.*?)\/?\n$/s.exec(told) ?? [];
    return { place: up === null ? null : { top: join(realpathSync(root), up), found }, err };
  }
  const place = () => {
    asked ??= ask();
    return asked;
  };

  async function project(): Promise<string> {
    const { place: at, err } = await place();
    // A name may tell it from others on the remote, or be the folder where it lay before; another project keeps its own.
    if (at !== null && written !== null && written !== at.found && existsSync(join(at.top, written, name)))
      throw otherProject(written, at.found);
    const known = written ?? at?.found;
    if (known === undefined) throw unknownProject(err);
    return known;
  }

  /** The project file, from the top of the repository; null: git does not tell. */
  async function file(): Promise<string | null> {
    const at = (await place()).place;
    return at === null ? null : join(at.found, name);
  }

  /** Other project files of the repository that name the branch of a project. */
  async function rivals(of: string, top: string, own: string | null): Promise<string[]> {
    const named = (await claims(top)).filter((claim) => {
      const folder = claim.project ?? dirname(claim.file);
      return claim.file !== own && (folder === '.' ? '' : folder) === of;
    });
    return named.map((claim) => claim.file);
  }

  async function isCommitted(top: string, path: string): Promise<boolean> {
    return existsSync(join(top, path)) || (await around(['cat-file', '-e', `HEAD:${path}`])).code === 0;
  }

  return {
    project,
    file,
    async clone(): Promise<string> {
      const { code, out } = await around(['rev-parse', '--absolute-git-dir']);
      const path = code === 0 ? out.toString('utf8').replace(/\n$/, '') : realpathSync(root);
      return JSON.stringify([hostname(), path, statSync(path).ino]);
    },
    /**
     * The project file that had the branch before, where it is gone and this one takes its place; null: there is none. Failure where the
     * branch belongs to another project of the repository, or two name it.
     */
    async formerOwner({ project: of, owner }: Pick<BranchHead, 'project' | 'owner'>): Promise<string | null> {
      const own = await file();
      const top = (await place()).place?.top;
      if (own === null || top === undefined) {
        // Without git, only the end of the path can be that of the owner.
        const path = join(realpathSync(root), name);
        if (owner !== undefined && !path.endsWith(`/${owner}`)) throw otherOwnerOf(owner, path);
        return null;
      }
      if (owner === own) return null;
      if (owner !== undefined && (await isCommitted(top, owner))) throw otherOwner(owner, own);
      const [rival] = await rivals(of, top, own);
      if (rival !== undefined) throw otherOwner(rival, own);
      return owner ?? null;
    },
    /** A project that begins anew beside the state of one whose folder is gone may be that one, in a folder that was renamed. */
    async refuseFormer(kept: () => Promise<readonly string[]>): Promise<void> {
      const at = (await place()).place;
      if (written !== null || at === null) return;
      const former: string[] = [];
      for (const folder of await kept())
        if (!existsSync(join(at.top, folder, name)) && (await rivals(folder, at.top, null)).length === 0)
          former.push(folder);
      if (former.length === 0) return;
      const paths = former.map((folder) => join(folder, name));
      const committed = await Promise.all(paths.map((path) => isCommitted(at.top, path)));
      const renamed = former.filter((_, index) => committed[index] === false);
      throw formerFolder({ former, renamed, found: at.found });
    },
  };
}
