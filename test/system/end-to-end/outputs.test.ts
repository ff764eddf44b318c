/** Several views of one plan in one run, and what becomes of files that cannot be written. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const FILES = {
  'campaignctl.yaml': 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  local: { sandbox: {} }\n',
  'campaigns/spring.yaml': 'name: Spring\nsettings: { max_emails_per_day: 5 }\n',
};

async function inProject(
  use: (
    folder: string,
    run: (...argv: string[]) => Promise<Ended>,
    read: (file: string) => Promise<string>,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const run = (...argv: string[]) => command(folder, argv);
    await use(folder, run, (file) => readFile(join(folder, file), 'utf8'));
  });
}

test('one plan is shown in as many ways as were asked for, and the same from a saved plan', () =>
  inProject(async (folder, run, read) => {
    await writeFile(join(folder, 'summary.md'), '# Job\n');
    const outputs = ['markdown', 'html', 'json', 'text'].flatMap((format) => [
      '--output',
      `${format}=plan.${format}`,
    ]);
    outputs.push('--output', 'markdown=a,b.md,json=plan-2.json');
    const planned = await run('plan', ...outputs, '--summary-file', 'summary.md', '--out', 'saved.json');
    expect(planned).toMatchObject({ code: 0, err: expect.stringContaining('Saved the plan to saved.json') });
    expect(await read('plan.text')).toBe(planned.out);
    expect(await read('a,b.md')).toBe(await read('plan.markdown'));
    expect(await read('plan-2.json')).toBe(await read('plan.json'));
    const markdown = await read('plan.markdown');
    expect(markdown).toMatch(/^### Plan for `local`: 1 to create, 0 unchanged · 1 warning · 2 requests\n/);
    expect(await read('summary.md')).toBe(`# Job\n${markdown}\n`);
    for (const format of ['markdown', 'html', 'json', 'text']) {
      const shown = await run('show', 'saved.json', '--format', format);
      expect(shown).toEqual({ code: 0, out: await read(`plan.${format}`), err: '' });
    }
  }));

test('a file that cannot be written is an error before anything is shown', () =>
  inProject(async (folder, run) => {
    await mkdir(join(folder, 'taken'));
    for (const argv of [
      ['--output', 'json=taken'],
      ['--summary-file', 'none/summary.md'],
      ['--events', 'taken'],
    ]) {
      const ended = await run('plan', ...argv);
      expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('[output-unusable]') });
      expect(ended.err).toContain(`${argv[1]?.replace(/^json=/, '')} cannot be written`);
    }
    const applied = await run('apply', '--yes', '--events', 'taken');
    expect(applied).toMatchObject({ code: 1, out: '' });
    expect(await readdir(folder)).not.toContain('.campaignctl/state');
  }));

test('what is asked for wrongly is said', () =>
  inProject(async (_, run) => {
    for (const output of ['plan.md', 'pdf=plan.pdf', 'markdown=', '=plan.md', '=']) {
      const { code, err } = await run('plan', '--output', output);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`--output takes FORMAT=FILE, not "${output}"`),
      ]);
      expect(err.includes('Most likely, a variable is not set.')).toBe(/^=|=$/.test(output));
    }
    for (const [output, message] of [
      ['json=a.json,', '--output is given without a value.'],
      ['json=a.json,pdf=b.pdf', '--output takes FORMAT=FILE, not "pdf=b.pdf"'],
    ] as const)
      expect(await run('plan', '--output', output)).toMatchObject({
        code: 1,
        err: expect.stringContaining(message),
      });
    expect((await run('plan', '--limit', '100')).err).toContain(
      '--limit takes a whole number from 2000, not "100"',
    );
  }));
