/** Where commands write new manifests, and how editors find their schema. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join, posix } from 'node:path';
import type { Environment } from '../model/environment.js';
import type { Project } from './project.js';

/** Folder for new manifests ('' for the root), their file extension and, if they have one, their first line. */
interface ManifestPlace {
  folder: string;
  extension: string;
  head: string;
}

/** The comment that tells editors which schema to use. The project contains its schemas, because installations differ. */
export function editorLine(folder: string, schema: keyof typeof SCHEMA_FILES): string {
  return `# yaml-language-server: $schema=${posix.relative(folder, SCHEMA_FILES[schema])}\n`;
}

export const SCHEMA_FILES = {
  campaign: '.campaignctl/schemas/campaign.schema.json',
  project: '.campaignctl/schemas/project.schema.json',
} as const;

const MAGIC = /[*?[\]{}()!+@]/;

export function manifestPlace(
  project: Project,
  { manifests }: Pick<Environment, 'manifests'>,
): ManifestPlace {
  const pattern =
    [...(manifests ?? []), ...project.manifests].find((candidate) => !candidate.startsWith('!')) ?? '';
  const extension = pattern.endsWith('.yml') ? '.yml' : '.yaml';
  const parts = pattern.split('/').slice(0, -1);
  const magic = parts.findIndex((part) => MAGIC.test(part));
  const fixed = magic < 0 ? parts : parts.slice(0, magic);
  const folder = fixed.filter((part) => part !== '.').join('/');
  const isThere = existsSync(join(project.root, SCHEMA_FILES.campaign));
  return { folder, extension, head: isThere ? editorLine(folder, 'campaign') : '' };
}

export function takenBasenames(root: string, folder: string): Set<string> {
  const path = join(root, folder);
  const names = existsSync(path) ? readdirSync(path) : [];
  return new Set(names.map((name) => basename(name, extname(name)).toLowerCase()));
}
