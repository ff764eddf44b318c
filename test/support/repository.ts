import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** Runs git as Ada. Returns its trimmed output. */
export function git(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Until the test ends, a script of sh runs in place of git, and then git, unless the script exits. `folder`: where it is put. */
export function replaceGit(folder: string, script: string): void {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(folder, { recursive: true });
  const text = `#!/bin/sh\n${script}\nexec '${git}' "$@"\n`;
  writeFileSync(join(folder, 'git'), text, { mode: 0o755 });
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
}
