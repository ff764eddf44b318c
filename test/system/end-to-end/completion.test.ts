/** Real shells, in which somebody types a line and presses Tab. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { PROGRAM } from '../../support/program.js';
import { has } from '../ci/files.js';

const PROJECT = {
  'campaignctl.yaml': `version: 1
manifests: ['c/*.yaml']
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  staging: { base_url: 'https://staging.example.com', token_env: STAGING_TOKEN }
`,
  'c/a.yaml': `name: Spring installers
---
name: 'Größe "X" $5 off'
---
name: "It's \`new\`: a=b"
---
name: "- Dash"
---
name: Summer*
`,
  'c/broken.yaml': 'name: [broken\n',
};

/**
 * Lines with Tab pressed at their end, one for each way to insert a word. `test/cli/completion.system.test.ts` has what is
 * offered. zsh may write quotes in its own way: then a third text.
 */
const LINES: [typed: string, completed: string, inZsh?: string][] = [
  ['campaignctl pl', 'campaignctl plan '],
  ['campaignctl plan --env=st', 'campaignctl plan --env=staging '],
  ['campaignctl plan -t Spr', 'campaignctl plan -t Spring\\ installers '],
  ['campaignctl plan -t "Spr', 'campaignctl plan -t "Spring installers" '],
  ["campaignctl plan -t 'Spr", "campaignctl plan -t 'Spring installers' "],
  ['campaignctl pause Gr', 'campaignctl pause Größe\\ \\"X\\"\\ \\$5\\ off '],
  ['campaignctl pause Größe\\ ', 'campaignctl pause Größe\\ \\"X\\"\\ \\$5\\ off '],
  ['campaignctl pause "Größe \\"X', 'campaignctl pause "Größe \\"X\\" \\$5 off" '],
  ["campaignctl pause 'Gr", `campaignctl pause 'Größe "X" $5 off' `],
  ['campaignctl pause It', "campaignctl pause It\\'s\\ \\`new\\`:\\ a=b "],
  ['campaignctl pause "It', `campaignctl pause "It's \\\`new\\\`: a=b" `],
  ["campaignctl pause 'It", "campaignctl pause 'It'\\''s `new`: a=b' "],
  ['campaignctl pause -- -', 'campaignctl pause -- -\\ Dash '],
  ['campaignctl pause nothing', 'campaignctl pause nothing'],
  ['campaignctl apply --allow lau', 'campaignctl apply --allow launch'],
  ['campaignctl apply --allow launch=Spr', 'campaignctl apply --allow launch=Spring\\ installers '],
  [
    'campaignctl apply --allow launch="Spr',
    'campaignctl apply --allow launch="Spring installers" ',
    'campaignctl apply --allow launch=Spring\\ installers ',
  ],
  ['campaignctl apply --hold "launch=Spr', 'campaignctl apply --hold "launch=Spring installers" '],
  ['campaignctl apply --hold launch=Summ', 'campaignctl apply --hold launch=Summer\\\\\\* '],
  ['campaignctl apply --plan c/a', 'campaignctl apply --plan c/a.yaml '],
  ['campaignctl apply --plan=c/a', 'campaignctl apply --plan=c/a.yaml '],
  ['campaignctl show campaignctl.y', 'campaignctl show campaignctl.yaml '],
  ['campaignctl plan -C c', 'campaignctl plan -C c/'],
  ['true && A=b campaignctl compare stag', 'true && A=b campaignctl compare staging '],
];

/** A project, with the program on the path. */
const withShell = (
  shell: string,
  files: Record<string, string>,
  use: (folder: string, env: NodeJS.ProcessEnv) => Promise<void>,
) =>
  withFolder(async (folder) => {
    const program = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;
    await writeFiles(folder, { ...PROJECT, 'bin/campaignctl': program, ...files });
    chmodSync(join(folder, 'bin/campaignctl'), 0o755);
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
    await use(folder, { ...process.env, PATH, HOME: folder, SHELL: `/bin/${shell}`, LC_ALL: 'C.UTF-8' });
  });

const BASHRC = `source <(campaignctl completion)
bind 'set bell-style none'
bind -x '"\\C-t": printf "%s|\\n" "$READLINE_LINE" >> told; READLINE_LINE='
PS1=READY
`;

/** Control characters of the keys that are pressed after each line: Tab, then the key that writes the line to a file. */
const KEYS = '\t\x14';

async function inBash(folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const child = spawn('script', ['-qfc', 'bash --noprofile --rcfile rc -i', '/dev/null'], {
    cwd: folder,
    env,
  });
  const told = () => {
    const file = join(folder, 'told');
    return existsSync(file) ? readFileSync(file, 'utf8').split('|\n').slice(0, -1) : [];
  };
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    seen += more;
  });
  const until = async (isReady: () => boolean) => {
    while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await until(() => seen.includes('READY'));
  for (const [at, [typed]] of LINES.entries()) {
    child.stdin.write(`${typed}${KEYS}`);
    await until(() => told().length > at);
  }
  child.stdin.end('exit\n');
  await once(child, 'close');
  expect(seen).not.toMatch(/✗|invalid-manifest|unclosed/i);
  return told();
}

test.skipIf(!has('bash') || !has('script'))('bash completes what people type', () =>
  withShell('bash', { rc: BASHRC }, async (folder, env) => {
    expect(await inBash(folder, env)).toEqual(LINES.map(([, completed]) => completed));
  }),
);

const ZSH = `zmodload zsh/zpty
# Each line is told by a widget, between signs that no terminal moves.
await() { local out=''; while [[ $seen != *$1* ]]; do zpty -r z out || break; seen+=$out; done }
zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -D -u; source <(campaignctl completion); tell() { print -r -- "$BUFFER|" >> told; print "TO""LD"; BUFFER= }; zle -N tell; bindkey "^T" tell; bindkey "^I" complete-word; print REA""DY'
await READY
while IFS= read -r line; do
  seen=''
  zpty -n -w z "$line"$'\\t'$'\\x14'
  await TOLD
done < lines
zpty -d z
`;

test.skipIf(!has('zsh'))('zsh completes what people type', () =>
  withShell(
    'zsh',
    { script: ZSH, lines: LINES.map(([typed]) => `${typed}\n`).join('') },
    async (folder, env) => {
      const { status, stderr } = spawnSync('zsh', ['script'], { cwd: folder, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const told = readFileSync(join(folder, 'told'), 'utf8').split('|\n').slice(0, -1);
      expect(told).toEqual(LINES.map(([, completed, inZsh = completed]) => inZsh));
    },
  ),
);

/** fish inserts and quotes the words itself; this is what it offers. */
const OFFERED: [typed: string, offered: string[]][] = [
  ['campaignctl sandb', ['sandbox\tServe the sandbox on a loopback port']],
  ['campaignctl plan --env st', ['staging\thttps://staging.example.com']],
  ['campaignctl plan --env=st', ['--env=staging\thttps://staging.example.com']],
  ['campaignctl pause Gr', ['Größe "X" $5 off\tc/a.yaml']],
  ['campaignctl pause "Gr', ['Größe "X" $5 off\tc/a.yaml']],
  ['campaignctl pause -- -', ['- Dash\tc/a.yaml']],
  ['campaignctl apply --allow launch=Spr', ['launch=Spring installers\tc/a.yaml']],
  ['campaignctl apply --plan c/', ['c/a.yaml', 'c/broken.yaml']],
  ['campaignctl apply --plan=c/a', ['--plan=c/a.yaml']],
  ['campaignctl show campaignctl', ['campaignctl.yaml']],
  ['campaignctl pause nothing', []],
];

test.skipIf(!has('fish'))('fish completes what people type', () => {
  const quoted = (typed: string) => `'${typed.replace(/['\\]/g, '\\$&')}'`;
  const asked = OFFERED.map(([typed]) => `complete -C ${quoted(typed)}\necho '|'`);
  const script = `campaignctl completion | source\n${asked.join('\n')}\n`;
  return withShell('fish', { script }, async (folder, env) => {
    const { status, stderr, stdout } = spawnSync('fish', ['script'], { cwd: folder, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const offers = stdout.split('|\n').slice(0, -1);
    expect(offers.map((offer) => offer.split('\n').filter(Boolean))).toEqual(
      OFFERED.map(([, offered]) => offered),
    );
  });
});
