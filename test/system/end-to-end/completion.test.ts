import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { PROGRAM } from '../../support/program.js';

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** The lines that a script prints in a shell, in a project, with the program in reach. */
const inShell = (shell: string, script: string) =>
  withFolder(async (folder) => {
    const command = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;
    await writeFiles(folder, { 'c/c3.yaml': 'name: Autumn\n', 'bin/campaignctl': command, script });
    chmodSync(join(folder, 'bin/campaignctl'), 0o755);
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH, HOME: folder, SHELL: `/bin/${shell}` };
    const { stdout, stderr, status } = spawnSync(shell, ['script'], { cwd: folder, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter(Boolean);
  });

/** The words that bash offers for `words` as readline has them, the last one under the cursor. */
const inBash = (...words: string[]) =>
  inShell(
    'bash',
    `source <(campaignctl completion)
COMP_WORDS=(campaignctl ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_campaignctl_yargs_completions
printf '%s\\n' "\${COMPREPLY[@]}"`,
  );

test.skipIf(!isInstalled('bash'))('bash completes commands, options and words', async () => {
  expect(await inBash('pl')).toEqual(['plan']);
  expect(await inBash('plan', '--detailed')).toEqual(['--detailed-exitcode']);
  expect(await inBash('plan', '--format', 'm')).toEqual(['markdown']);
  expect(await inBash('state', 'm')).toEqual(['migrate']);
  expect(await inBash('plan', 'c/')).toEqual([]);
});

/** What an interactive zsh makes of lines when Tab is pressed behind each: the line as Enter would run it. */
async function inZsh(...lines: string[]): Promise<string[]> {
  const typed = lines.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(' ');
  const shown = await inShell(
    'zsh',
    `zmodload zsh/zpty
# Each line is told by a widget, between signs that no terminal moves.
await() { local out=''; while [[ $seen != *$1* ]]; do zpty -r z out || break; seen+=$out; done }
zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -D -u; source <(campaignctl completion); tell() { print -r -- "<<$BUFFER>>" >> told; print "TO""LD"; BUFFER= }; zle -N tell; bindkey "^T" tell; bindkey "^I" complete-word; print REA""DY'
await READY
for line in ${typed}; do
  seen=''
  zpty -n -w z "$line"$'\t'$'\x14'
  await TOLD
done
zpty -d z
cat told`,
  );
  return shown.map((line) => line.replace(/^<<(.*?) ?>>$/, '$1'));
}

test.skipIf(!isInstalled('zsh'))('zsh completes commands, options, words and files', async () => {
  expect(
    await inZsh(
      'campaignctl pl',
      'campaignctl plan --detailed',
      'campaignctl plan --format mark',
      'campaignctl state m',
      'campaignctl plan c/c3',
    ),
  ).toEqual([
    'campaignctl plan',
    'campaignctl plan --detailed-exitcode',
    'campaignctl plan --format markdown',
    'campaignctl state migrate',
    'campaignctl plan c/c3.yaml',
  ]);
});

test.skipIf(!isInstalled('fish'))('fish completes commands', async () => {
  const lines = await inShell('fish', "campaignctl completion | source\ncomplete -C 'campaignctl sandb'");
  expect(lines).toEqual([expect.stringMatching(/^sandbox/)]);
});
