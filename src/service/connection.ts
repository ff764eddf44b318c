import type { Address } from '../model/address.js';

/** The settings that lead to the service. `tokenVariable`: `null` for the sandbox. */
export interface ServiceNames {
  environment: string;
  tokenVariable: string | null;
}

/** Words for errors. They never contain the token. */
export interface Connection {
  /** The full URL of a path; for the sandbox, whose port is random, only the path. */
  url(path: string): string;
  /** The settings to check, after a verb. */
  settings: string;
  /** A sentence that names the settings. */
  sentence: string;
  /** The settings in a few words, for parentheses. */
  brief: string;
}

export function describeConnection(
  { origin, prefix }: Pick<Address, 'origin' | 'prefix'>,
  { environment, tokenVariable }: ServiceNames,
): Connection {
  if (tokenVariable === null)
    return {
      url: (path) => path,
      settings: `environment ${environment}, which uses the built-in service`,
      sentence: `Environment ${environment} uses the built-in service.`,
      brief: `environment ${environment}`,
    };
  const baseUrl = `${origin}${prefix}`;
  return {
    url: (path) => `${origin}${path}`,
    settings: `base_url of environment ${environment} (${baseUrl}: the part before /api) and the token in ${tokenVariable}`,
    sentence: `Environment ${environment} uses base_url ${baseUrl} and the token in ${tokenVariable}.`,
    brief: `environment ${environment}, base_url ${baseUrl}, token in ${tokenVariable}`,
  };
}
