import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { ROOT, text } from './files.js';

/** The instructions of the Dockerfile, without comments. */
const instructions = text('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line !== '');

it('the image has one pinned base, builds in a stage of its own, and runs as a user without rights', () => {
  const words = instructions.map((line) => line.split(/\s+/));
  expect(words.filter(([name]) => name === 'ARG')).toEqual([
    ['ARG', expect.stringMatching(/^NODE=\d+\.\d+\.\d+-[a-z]+-slim$/)],
  ]);
  expect(words.filter(([name]) => name === 'FROM')).toEqual([
    ['FROM', `node:\${NODE}`, 'AS', 'build'],
    ['FROM', `node:\${NODE}`],
  ]);
  // No later instruction runs or copies anything.
  expect(instructions.slice(-3)).toEqual(['USER node', 'WORKDIR /work', 'ENTRYPOINT ["campaignctl"]']);
});

it(
  'the image is built from what .dockerignore leaves, which is enough for the whole package',
  () =>
    withFolder(async (folder) => {
      const [all, ...left] = text('.dockerignore').trim().split('\n').slice(1);
      expect(all).toBe('*');
      for (const name of left.map((line) => line.replace(/^!/, '')))
        cpSync(join(ROOT, name), join(folder, name), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      execFileSync(process.execPath, ['scripts/build.js'], { cwd: folder });
      // Without hashes, which depend on the place of node_modules.
      const packed = (cwd: string): string[] => {
        const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
        const [{ files }] = JSON.parse(execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: 'pipe' }));
        return files.map(({ path }: { path: string }) => path.replace(/-[A-Z0-9]{8}\.js$/, '.js')).sort();
      };
      expect(packed(folder)).toEqual(packed(ROOT));
    }),
  120_000,
);
