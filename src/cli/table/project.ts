import {
  files,
  findingsFormat,
  findingsFormatOf,
  target,
  text,
  texts,
  viewFormat,
  viewFormatOf,
} from '../options.js';
import type { Command } from './command.js';

export const initCommand: Command = {
  name: 'init',
  usage: 'init [dir]',
  describe: 'Write a project that plans and applies as it is',
  positionals: { dir: { type: 'string', default: '.', describe: 'Folder of the project' } },
  options: {
    'base-url': {
      type: 'string',
      requiresArg: true,
      describe: 'Address of a service that has campaigns: a project to import them into',
    },
    'token-env': {
      type: 'string',
      requiresArg: true,
      describe: 'Variable that holds the API token; default: CAMPAIGNS_TOKEN',
    },
  },
  examples: [
    ['campaignctl init shop', 'a new folder with project file, manifest and body'],
    ['campaignctl init --base-url https://send.example.com', 'for campaigns that are there already'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/init.js')).init(
      {
        ...parsed,
        dir: String(parsed.dir),
        baseUrl: text(parsed, 'base-url'),
        tokenEnv: text(parsed, 'token-env'),
      },
      shell,
    ),
};

export const validateCommand: Command = {
  name: 'validate',
  usage: 'validate [files..]',
  describe: 'Check manifests offline: schema, references, lint; all problems at once',
  positionals: files,
  options: { format: findingsFormat },
  examples: [
    ['campaignctl validate', 'every manifest, for every environment'],
    ['campaignctl validate campaigns/spring.yaml --env production', 'one file, one environment'],
    ['campaignctl validate --format github', 'in GitHub Actions: problems at the lines of the pull request'],
    ['campaignctl validate --format junit > validate.xml', 'a test report for GitLab or Jenkins'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/validate.js')).validate(
      { ...parsed, files: texts(parsed, 'files'), format: findingsFormatOf(parsed) },
      shell,
    ),
};

export const compareCommand: Command = {
  name: 'compare',
  usage: 'compare <from> <to> [files..]',
  describe: 'Show how the manifests differ between two environments; no network',
  positionals: {
    from: { type: 'string', demandOption: true, describe: 'Environment, such as staging' },
    to: { type: 'string', demandOption: true, describe: 'The other one, such as production' },
    ...files,
  },
  options: {
    format: viewFormat,
    target,
    'detailed-exitcode': { type: 'boolean', describe: 'Exit with 2 if anything differs' },
  },
  examples: [
    ['campaignctl compare staging production', 'content first, then caps, ids and lists'],
    ['campaignctl compare staging production --format markdown', 'for a comment on the pull request'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/compare.js')).compare(
      {
        ...parsed,
        from: String(parsed.from),
        to: String(parsed.to),
        files: texts(parsed, 'files'),
        target: texts(parsed, 'target'),
        format: viewFormatOf(parsed),
        detailedExitcode: parsed['detailed-exitcode'] === true,
      },
      shell,
    ),
};
