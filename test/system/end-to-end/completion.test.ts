import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
const NAMES = [
  'Spring installers',
  'Spring $(touch pwned)',
  'Spring `touch pwned`\'"; touch pwned',
  'Autumn',
];
const FILES = {
  'campaignctl.yaml': `version: 1
manifests: [c/*.yaml]
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  staging: { base_url: https://staging.example.com, token_env: STAGING_TOKEN }
`,
  ...Object.fromEntries(NAMES.map((name, at) => [`c/c${at}.yaml`, `name: ${JSON.stringify(name)}\n`])),
};

const shells = ['bash', 'zsh', 'fish', 'pwsh'];
const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** Runs a script in a shell, in a project, with the program in reach. */
async function inShell(shell: string, script: string): Promise<{ lines: string[]; files: string[] }> {
  return withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    await writeFiles(folder, {
      'bin/campaignctl': `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
    });
    chmodSync(join(folder, 'bin/campaignctl'), 0o755);
    writeFileSync(join(folder, 'script'), script);
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder };
    const { stdout, stderr, status } = spawnSync(shell, ['script'], { cwd: folder, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return { lines: stdout.split('\n').filter(Boolean), files: readdirSync(folder) };
  });
}

/** What bash would offer: `words` as readline has them, the last one under the cursor. */
async function inBash(...words: string[]): Promise<string[]> {
  const quoted = ['campaignctl', ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { lines, files } = await inShell(
    'bash',
    `source <(campaignctl completion bash)
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}
_campaignctl
printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
  expect(files).not.toContain('pwned');
  return lines;
}

test.skipIf(!isInstalled('bash'))(
  'bash completes commands, options, environments and campaigns',
  async () => {
    expect(await inBash('pl')).toEqual(['plan']);
    expect(await inBash('plan', '--detailed')).toEqual(['--detailed-exitcode']);
    expect(await inBash('plan', '-e', 's')).toEqual(['sandbox', 'staging']);
    expect(await inBash('plan', '--env', '=', 'st')).toEqual(['staging']);
    expect(await inBash('plan', '--env', '=')).toEqual(['sandbox', 'staging']);
    expect(await inBash('plan', '--target', 'A')).toEqual(['Autumn']);
    expect(await inBash('plan', '--target', 'Spring\\ i')).toEqual(['Spring\\ installers']);
    expect(await inBash('plan', '--target', '"Spring i')).toEqual(['Spring installers']);
    expect(await inBash('plan', 'c/')).toEqual([]);
    expect(await inBash('state', '')).toEqual(['migrate', 'rebase']);
  },
);

test.skipIf(!isInstalled('bash'))(
  'bash never evaluates a name, and offers it so that Enter does not either',
  async () => {
    const offered = await inBash('plan', '-t', 'Spring');
    expect(offered).toHaveLength(3);
    const { lines, files } = await inShell('bash', `printf '%s\\n' ${offered.join(' ')}`);
    expect(lines).toEqual(NAMES.slice(0, 3));
    expect(files).not.toContain('pwned');
    expect(await inBash('plan', '-t', '"Spring')).toEqual(['Spring installers']);
  },
);

/** What an interactive zsh makes of lines when Tab is pressed behind each: the line as Enter would run it. */
async function inZsh(...lines: string[]): Promise<string[]> {
  const typed = lines.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(' ');
  const { lines: shown, files } = await inShell(
    'zsh',
    `zmodload zsh/zpty
# Each line is told by a widget, between signs that no terminal moves.
await() { local out=''; while [[ $seen != *$1* ]]; do zpty -r z out || break; seen+=$out; done }
zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -D -u; source <(campaignctl completion zsh); tell() { print -r -- "<<$BUFFER>>" >> told; print "TO""LD"; BUFFER= }; zle -N tell; bindkey "^T" tell; bindkey "^I" complete-word; print REA""DY'
await READY
for line in ${typed}; do
  seen=''
  zpty -n -w z "$line"$'\t'$'\x14'
  await TOLD
done
zpty -d z
cat told`,
  );
  expect(files).not.toContain('pwned');
  return shown.map((line) => line.replace(/^<<(.*?) ?>>$/, '$1'));
}

test.skipIf(!isInstalled('zsh'))('zsh completes commands, environments and campaigns', async () => {
  expect(
    await inZsh(
      'campaignctl pl',
      'campaignctl plan --detailed',
      'campaignctl plan --env st',
      'campaignctl plan --env=st',
      'campaignctl plan -t A',
      'campaignctl plan -t Spring\\ i',
      'campaignctl plan -t "Spring i',
      'campaignctl state m',
      'campaignctl plan c/c3',
    ),
  ).toEqual([
    'campaignctl plan',
    'campaignctl plan --detailed-exitcode',
    'campaignctl plan --env staging',
    'campaignctl plan --env=staging',
    'campaignctl plan -t Autumn',
    'campaignctl plan -t Spring\\ installers',
    'campaignctl plan -t "Spring installers"',
    'campaignctl state migrate',
    'campaignctl plan c/c3.yaml',
  ]);
});

test.skipIf(!isInstalled('fish'))('fish completes the words of state', async () => {
  const source = 'campaignctl completion fish | source\n';
  expect((await inShell('fish', `${source}complete -C 'campaignctl state m'`)).lines).toEqual(['migrate']);
});

test.skipIf(!isInstalled('fish'))('fish completes environments and campaigns', async () => {
  const source = 'campaignctl completion fish | source\n';
  expect((await inShell('fish', `${source}complete -C 'campaignctl plan --env st'`)).lines).toEqual([
    'staging',
  ]);
  for (const begun of ['"Spring i', 'Spring\\ i'])
    expect((await inShell('fish', `${source}complete -C 'campaignctl plan -t ${begun}'`)).lines).toEqual([
      'Spring installers',
    ]);
  const { lines, files } = await inShell('fish', `${source}complete -C 'campaignctl plan -t Spring'`);
  expect(lines).toHaveLength(3);
  expect(files).not.toContain('pwned');
});

test.skipIf(!isInstalled('pwsh'))('PowerShell completes environments', async () => {
  const script = `campaignctl completion powershell | Out-String | Invoke-Expression
(TabExpansion2 'campaignctl plan --env st' 25).CompletionMatches.CompletionText`;
  expect((await inShell('pwsh', script)).lines).toEqual(['staging']);
});

test.each(shells)('the script for %s', async (shell) => {
  const name = shell === 'pwsh' ? 'powershell' : shell;
  const { out } = await command('.', ['completion', name]);
  await expect(out).toMatchFileSnapshot(`golden/completion.${name}`);
});
