/** A command as the GitHub Actions runner parses it. */
export interface RunnerCommand {
  name: string;
  properties: Record<string, string>;
  text: string;
}

const COMMANDS = [
  ...[
    'error',
    'warning',
    'notice',
    'debug',
    'group',
    'endgroup',
    'echo',
    'add-mask',
    'set-env',
    'set-output',
  ],
  ...['save-state', 'add-path', 'add-matcher', 'remove-matcher', 'stop-commands'],
];

/** Parses the commands in a log as the runner does: white space may precede `::`, and `##[` may be anywhere. */
export function commandsIn(log: string): RunnerCommand[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => newForm(line) ?? oldForm(line) ?? []);
}

function newForm(line: string): RunnerCommand | null {
  const [, name = '', written = '', text = ''] = /^\s*::([^ :]*)(?: (.*?))?::(.*)$/u.exec(line) ?? [];
  if (!COMMANDS.includes(name.toLowerCase())) return null;
  const pairs = written
    .trim()
    .split(',')
    .map((pair) => /^([^=]+)=(.+)$/su.exec(pair));
  const properties = pairs.flatMap((pair) =>
    pair === null ? [] : [[pair[1] ?? '', unescaped(pair[2] ?? '')]],
  );
  return { name, properties: Object.fromEntries(properties), text: unescaped(text) };
}

function oldForm(line: string): RunnerCommand | null {
  const [, name = '', text = ''] = /##\[([^ \]]*)[^\]]*\](.*)$/u.exec(line) ?? [];
  return COMMANDS.includes(name.toLowerCase()) ? { name, properties: {}, text } : null;
}

function unescaped(text: string): string {
  const order: [string, string][] = [
    ['%0D', '\r'],
    ['%0A', '\n'],
    ['%3A', ':'],
    ['%2C', ','],
    ['%25', '%'],
  ];
  return order.reduce((done, [written, character]) => done.replaceAll(written, character), text);
}
