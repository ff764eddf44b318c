import { files, previewFormat, previewFormatOf, text, texts, whole } from '../options.js';
import type { Command } from './command.js';

export const previewCommand: Command = {
  name: 'preview',
  usage: 'preview [files..]',
  describe: 'Show every email as its recipients get it, in one page; no network',
  positionals: files,
  options: {
    format: previewFormat,
    out: { type: 'string', requiresArg: true, describe: 'Write it to this file; default: stdout' },
    lead: {
      type: 'string',
      requiresArg: true,
      describe: 'File with people to show the emails to, YAML or JSON; default: invented ones',
    },
    leads: {
      type: 'string',
      requiresArg: true,
      describe: 'How many leads the sending calendar counts with',
    },
    watch: { type: 'boolean', describe: 'Serve the page on this machine, and load it again at each save' },
    port: { type: 'string', requiresArg: true, default: '0', describe: 'Port of --watch; 0: any free one' },
  },
  examples: [
    ['campaignctl preview --out preview.html', 'a page to look at or to pass on'],
    ['campaignctl preview --watch', 'write on one side, look on the other'],
    ['campaignctl preview --lead people.yaml --out preview.html', 'as these people would get it'],
    ['campaignctl preview --format text --leads 1200', 'when each email goes out, and how long it takes'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/preview.js')).preview(
      {
        ...parsed,
        files: texts(parsed, 'files'),
        format: previewFormatOf(parsed),
        out: text(parsed, 'out'),
        lead: text(parsed, 'lead'),
        leads: whole(parsed, 'leads', 0),
        watch: parsed.watch === true,
        port: whole(parsed, 'port', 0) ?? 0,
      },
      shell,
    ),
};

export const commentCommand: Command = {
  name: 'comment',
  usage: 'comment <file>',
  describe: 'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
  positionals: { file: { type: 'string', demandOption: true, describe: 'File written by plan --out' } },
  options: {
    platform: {
      choices: ['github', 'gitlab'],
      describe: 'Where; default: where the pipeline runs. Token: $GITHUB_TOKEN, $GH_TOKEN or $GITLAB_TOKEN',
    },
    pr: {
      type: 'string',
      requiresArg: true,
      describe: 'Pull request on GitHub; default: the one of the workflow',
    },
    mr: {
      type: 'string',
      requiresArg: true,
      describe: 'Merge request on GitLab; default: the one of the pipeline',
    },
    marker: {
      type: 'string',
      requiresArg: true,
      describe: 'Tells several projects of one repository apart, each with its own comment',
    },
    always: { type: 'boolean', describe: 'Comment also where there is nothing to do' },
  },
  examples: [
    ['campaignctl comment plan.json --platform github', 'in a workflow on pull_request'],
    ['campaignctl comment plan.json --platform gitlab --mr 12', 'from anywhere'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/comment.js')).comment(
      {
        ...parsed,
        file: String(parsed.file),
        platform: parsed.platform === 'github' || parsed.platform === 'gitlab' ? parsed.platform : null,
        pr: whole(parsed, 'pr', 1),
        mr: whole(parsed, 'mr', 1),
        marker: text(parsed, 'marker'),
        always: parsed.always === true,
      },
      shell,
    ),
};
