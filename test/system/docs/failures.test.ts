import { describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startProgram } from '../../support/program.js';
import { read } from './links.js';

/** The failures that the page about the sandbox lets readers try, with the files of that page. */
const page = read('docs/sandbox.md');
const [, profile] = /sandbox --port 4010 --profile (\w+)/.exec(page) ?? [];

/** The fault of a numbered failure. */
function faultOf(number: number): string {
  const [, fault = ''] = new RegExp(`^${number}\\. \\*\\*.*?\`(.+?)\``, 'm').exec(page) ?? [];
  return fault;
}

async function withFault(
  fault: string,
  status: 'paused' | 'running',
  work: (folder: string, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  expect(profile).toBe('reported');
  const sandbox = await startSandbox({ profile: 'reported', file: null, faults: [fault] });
  const files = [...page.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, file = '', text = '']) => {
    const here = text.replace('http://127.0.0.1:4010', sandbox.url);
    return [file, here.replace('status: paused', `status: ${status}`)] as const;
  });
  expect(files.map(([file]) => file)).toEqual(['campaignctl.yaml', 'campaigns/spring.yaml']);
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, Object.fromEntries(files));
      await work(folder, sandbox);
    });
  } finally {
    await sandbox.close();
  }
}

const apply = (folder: string, ...flags: string[]) => command(folder, ['apply', '--yes', ...flags]);

describe('a failure on the page about the sandbox', () => {
  test.each([
    [1, 'the campaign is found', faultOf(1), [0, 0], /the list shows it as/],
    [2, 'steps that appear are kept', faultOf(2), [0, 0], /the read-back shows that it took effect/],
    [2, 'others are sent later', faultOf(2).replace('after', 'before'), [4, 0], /does not show an effect/],
    [3, 'the difference is shown', faultOf(3), [4], /plain_text {2}false → true/],
  ])('%i: %s', (_number, _words, fault, codes, shown) =>
    withFault(fault, 'paused', async (folder) => {
      const ended = await apply(folder);
      const later = codes.length > 1 ? [(await apply(folder)).code] : [];
      expect([[ended.code, ...later], ended.out]).toEqual([codes, expect.stringMatching(shown)]);
    }),
  );

  test('4: after a crash, attached leads need approval', () =>
    withFault(faultOf(4), 'paused', async (folder, sandbox) => {
      const { kill, ended } = startProgram(folder, ['apply', '--yes']);
      const isWaiting = () => sandbox.requests().some(({ path }) => path.endsWith('/attach-leads'));
      await expect.poll(isWaiting, { timeout: 20_000 }).toBe(true);
      kill('SIGKILL');
      expect((await ended).code).toBe(-1);
      expect(await apply(folder)).toMatchObject({
        code: 3,
        err: expect.stringContaining('[repeat-attach]'),
      });
      expect((await apply(folder, '--allow', 'repeat-attach')).code).toBe(0);
    }));

  test('5: a launch that fails is reported', () =>
    withFault(faultOf(5), 'running', async (folder) => {
      const ended = await apply(folder, '--allow', 'launch');
      expect(ended).toMatchObject({ code: 4, out: expect.stringContaining('then showed "failed"') });
    }));
});
