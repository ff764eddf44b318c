import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path } from '../model/problem.js';
import type { Code } from './codes.js';
import type { Wording } from './finding.js';
import { nearest } from './nearest.js';
import { didYouMean, listed } from './suggest.js';
import { quoted } from './text.js';

/** A name that the environment does not have, and where it is written. */
export interface UnknownName extends Wording {
  path: Path;
}

/**
 * Names of lead lists and of a schedule template that the environment does not have. Takes any document: one that is
 * wrong elsewhere still has its names checked, so that everything is said at once.
 */
export function unknownNames(document: JsonObject, environment: Environment): UnknownName[] {
  const lists = section(document.leads).lists;
  const template = section(document.schedule).template;
  const unknownLists = (Array.isArray(lists) ? lists : []).flatMap((name, index) =>
    unknown(name, ['leads', 'lists', index], {
      code: 'unknown-lead-list',
      what: 'lead list',
      key: 'lead_lists',
      known: environment.lead_lists,
      environment: environment.name,
    }),
  );
  const unknownTemplate = unknown(template, ['schedule', 'template'], {
    code: 'unknown-schedule-template',
    what: 'schedule template',
    key: 'schedule_templates',
    known: environment.schedule_templates,
    environment: environment.name,
  });
  return [...unknownLists, ...unknownTemplate];
}

interface Dictionary {
  code: Code;
  what: string;
  key: string;
  known: Record<string, number>;
  environment: string;
}

function unknown(name: Json | undefined, path: Path, dictionary: Dictionary): UnknownName[] {
  if (typeof name !== 'string' || name === '' || Object.hasOwn(dictionary.known, name)) return [];
  const { code, what, key, environment } = dictionary;
  const names = Object.keys(dictionary.known);
  const given = names.length > 0 ? ` It has: ${listed(names)}.` : '';
  return [
    {
      code,
      message: `The environment ${environment} has no ${what} named ${quoted(name)}.`,
      hint:
        didYouMean(nearest(name, names)) ??
        (/^[0-9]+$/.test(name)
          ? `For an id take the quotes away: ${name}.`
          : `Give it an id under ${key} of the environment ${environment} in the project file.${given}`),
      path,
    },
  ];
}

/** An overlay for an environment that the project file does not have. */
export function unknownEnvironments(document: JsonObject, known: readonly string[]): UnknownName[] {
  return Object.keys(section(document.environments))
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: 'unknown-environment',
      message: `The project file has no environment named ${quoted(name)}.`,
      hint: didYouMean(nearest(name, known)) ?? `It has: ${listed(known)}.`,
      path: ['environments', name],
    }));
}

function section(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
