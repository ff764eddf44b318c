import { manifestParser, type ParsedManifest } from '../manifest/documents.js';
import { errorAt, toPlace } from '../manifest/errors.js';
import { fileWording, LIMITS, type ReadFile } from '../manifest/files.js';
import { readerBelow } from './files.js';
import type { Project } from './project.js';
import { type SharedFolders, sharedFolders } from './shared.js';

/** A project and its manifests as they were when they were first needed: each file is parsed once. */
export interface OpenManifests {
  project: Project;
  shared: SharedFolders;
  /** Reads any file of the project, each time anew. */
  readFile: ReadFile;
  /** All files that were asked for, whether they could be read or not. */
  requested: ReadonlySet<string>;
  parse(file: string): ParsedManifest;
}

export function openManifests(project: Project): OpenManifests {
  const shared = sharedFolders(project);
  const read = readerBelow(project.root, shared.folders, shared.hint);
  const requested = new Set<string>();
  const readFile: ReadFile = (file, limit) => {
    requested.add(file);
    return read(file, limit);
  };
  const parser = manifestParser(Object.keys(project.environments), readFile);
  const manifests = new Map<string, ParsedManifest>();
  return {
    project,
    shared,
    readFile,
    requested,
    parse(file) {
      const manifest = manifests.get(file) ?? parseFile(file);
      manifests.set(file, manifest);
      return manifest;
    },
  };

  function parseFile(file: string): ParsedManifest {
    const result = readFile(file, LIMITS.manifest);
    if ('text' in result) return parser.parse(file, result.text);
    const finding = errorAt(toPlace(file, 0, []), fileWording(result.problem, file, LIMITS.manifest));
    return { documents: [], count: 0, findings: [finding], files: new Set() };
  }
}
