import type { CompletionShell } from '../commands/completion.js';
import { format, formatOf, NO_FILES, parallelism, text, texts, whole } from '../options.js';
import type { Command } from './command.js';

export const configCommand: Command = {
  name: 'config',
  usage: 'config',
  describe: 'Show every setting in effect and where it comes from; no network, never a token',
  positionals: NO_FILES,
  options: { format, parallelism },
  examples: [['campaignctl config --env production', 'flag, variable, line of campaignctl.yaml or default']],
  run: async (parsed, shell) =>
    (await import('../commands/config.js')).config(
      { ...parsed, format: formatOf(parsed), parallelism: whole(parsed, 'parallelism', 1) },
      shell,
    ),
};

export const sandboxCommand: Command = {
  name: 'sandbox',
  usage: 'sandbox',
  describe: 'Serve the embedded service on a loopback port, to try things on',
  positionals: NO_FILES,
  options: {
    port: { type: 'string', requiresArg: true, default: '0', describe: 'Port; 0: any free one' },
    profile: {
      choices: ['documented', 'reported'],
      default: 'documented',
      describe: 'As the interface documents it, or as installations are reported to behave',
    },
    file: {
      type: 'string',
      requiresArg: true,
      describe: "Where it keeps its campaigns; default: the project's own",
    },
    fault: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'What goes wrong: "METHOD PATH[#N]=KIND"; repeatable, see docs/rehearsal.md',
    },
    'rate-limit': {
      type: 'string',
      requiresArg: true,
      describe: 'Requests a minute, beyond which it answers 429',
    },
    'retry-after': {
      choices: ['seconds', 'date', 'none'],
      default: 'seconds',
      describe: 'How a 429 says when to come again',
    },
  },
  examples: [
    ['campaignctl sandbox --port 4010 --profile reported', 'a service with the reported habits'],
    ['campaignctl sandbox --fault "POST /api/campaigns#1=drop-after"', 'the first creation gets no answer'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/sandbox.js')).sandbox(
      {
        ...parsed,
        port: whole(parsed, 'port', 0) ?? 0,
        profile: parsed.profile === 'reported' ? 'reported' : 'documented',
        file: text(parsed, 'file'),
        fault: texts(parsed, 'fault'),
        rateLimit: whole(parsed, 'rate-limit', 1),
        retryAfter:
          parsed['retry-after'] === 'date' || parsed['retry-after'] === 'none'
            ? parsed['retry-after']
            : 'seconds',
      },
      shell,
    ),
};

export const completionCommand: Command = {
  name: 'completion',
  usage: 'completion [shell]',
  describe: 'Print a completion script for your shell',
  positionals: { shell: { choices: ['bash', 'zsh', 'fish'], default: 'bash' } },
  options: {},
  examples: [['source <(campaignctl completion bash)', 'completes commands, options and their values']],
  run: async (parsed, shell) =>
    (await import('../commands/completion.js')).completion(parsed.shell as CompletionShell, shell),
};
