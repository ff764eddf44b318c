import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { createFaults, parseFault } from '../../src/sandbox/fault.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { withFolder } from '../support/folder.js';

const HEADERS = { authorization: 'Bearer secret', 'content-type': 'application/json' };

async function ask(
  sandbox: Sandbox,
  line: string,
  body?: unknown,
  deadline = 30_000,
): Promise<{ status: number; text: string } | 'lost'> {
  const [method = '', path = ''] = line.split(' ');
  const signal = AbortSignal.timeout(deadline);
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const answer = await fetch(`${sandbox.url}${path}`, { method, headers: HEADERS, signal, ...sent });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return 'lost';
  }
}

const create = (sandbox: Sandbox, name = 'Spring installers', deadline?: number) =>
  ask(sandbox, 'POST /api/campaigns', { name }, deadline);

const kinds: [kind: string, effect: boolean, answer: 'lost' | [status: number, text: RegExp]][] = [
  ['drop-before', false, 'lost'],
  ['drop-after', true, 'lost'],
  ['hang', false, 'lost'],
  ['hang-after', true, 'lost'],
  ['500-before', false, [500, /500-before/]],
  ['503-after', true, [503, /503-after/]],
  ['429-before', false, [429, /429-before/]],
  ['ignore', false, [200, /success/]],
];

describe.each(['documented', 'reported'] as const)('a fault of a service as it is %s', (profile) => {
  it.each(kinds)('%s', async (kind, effect, answer) => {
    const fault = `POST /api/campaigns#1=${kind}`;
    const sandbox = await startSandbox({ profile, file: null, faults: [fault] });
    // Only hanging requests time out.
    const got = await create(sandbox, undefined, kind.startsWith('hang') ? 400 : undefined);
    if (answer === 'lost') expect(got).toBe('lost');
    else expect(got).toEqual({ status: answer[0], text: expect.stringMatching(answer[1]) });
    expect(sandbox.state().campaigns).toHaveLength(effect ? 1 : 0);
    expect(sandbox.requests()).toMatchObject([{ effect, fault }]);
    expect(await create(sandbox)).toMatchObject({ status: profile === 'documented' ? 200 : 201 });
    expect(sandbox.requests().at(-1)).toMatchObject({ effect: true, fault: null });
    await sandbox.close();
  });

  it('fail-launch lets a launch fail a moment later, and a later one succeed; both are kept', () =>
    withFolder(async (folder) => {
      const options = { profile, file: `${folder}/campaigns.json` };
      const sandbox = await startSandbox({
        ...options,
        faults: ['PATCH /api/campaigns/*/resume#1=fail-launch'],
      });
      await create(sandbox);
      await ask(sandbox, 'POST /api/campaigns/1/create-schedule-from-template', { schedule_id: 1 });
      const step = { title: 'x', email_subject: 's', email_body: 'b', wait_in_days: 1, thread_reply: false };
      await ask(sandbox, 'POST /api/campaigns/1/sequence-steps', { title: 'x', sequence_steps: [step] });
      const status = async (of: Sandbox) => {
        const read = await ask(of, 'GET /api/campaigns/1');
        return /"status":"(\w+)"/.exec(read === 'lost' ? '' : read.text)?.[1];
      };
      expect(await ask(sandbox, 'PATCH /api/campaigns/1/resume')).toMatchObject({ status: 200 });
      expect([await status(sandbox), await status(sandbox), await status(sandbox)]).toEqual([
        'queued',
        'failed',
        'failed',
      ]);
      await sandbox.close();
      const again = await startSandbox(options);
      expect(await status(again)).toBe('failed');
      await ask(again, 'PATCH /api/campaigns/1/resume');
      await status(again);
      expect(await status(again)).toBe('active');
      await again.close();
    }));
});

describe('which requests are struck', () => {
  const struck = (fault: string, requests: string[]) => {
    const strike = createFaults([parseFault(fault)]);
    return requests.map((line) => {
      const [method = '', target = ''] = line.split(' ');
      return strike(method, target) !== null;
    });
  };
  const create = 'POST /api/campaigns';

  it.each<[string, string[], boolean[]]>([
    ['POST /api/campaigns=hang', [create, create], [true, true]],
    ['POST /api/campaigns#2=hang', [create, create, create], [false, true, false]],
    ['* /api/campaigns=hang', [create, 'GET /api/campaigns?page=2'], [true, true]],
    [
      'GET /api/campaigns/*/schedule=hang',
      ['GET /api/campaigns/4/schedule', 'GET /api/campaigns/4/5/schedule'],
      [true, false],
    ],
    [
      'POST /api/campaigns/4/leads/attach-leads=hang',
      ['POST /api/campaigns/4/leads/attach-leads', 'POST /api/campaigns/5/leads/attach-leads', create],
      [true, false, false],
    ],
    [
      'GET /api/campaigns/*=hang',
      ['GET /api/campaigns/4', 'GET /api/campaigns', 'POST /api/campaigns/4'],
      [true, false, false],
    ],
  ])('%s', (fault, requests, expected) => {
    expect(struck(fault, requests)).toEqual(expected);
  });

  it('of several matching rules, the first applies, and each counts separately', () => {
    const strike = createFaults(
      ['POST /api/campaigns#1=hang', 'POST /api/campaigns=drop-after'].map(parseFault),
    );
    const kinds = [1, 2, 3].map(() => strike('POST', '/api/campaigns')?.wire ?? null);
    expect(kinds).toEqual(['hang', 'drop', 'drop']);
  });
});

describe('a fault that cannot be used', () => {
  it.each([
    ['', 'it is not METHOD PATH'],
    ['DELETE /api/campaigns=hang', 'it is not METHOD PATH'],
    ['POST api/campaigns=hang', 'it is not METHOD PATH'],
    ['POST /api/campaign=hang', 'no POST endpoint of the API matches this path'],
    ['PATCH /api/campaigns/*/pause/now=hang', 'no PATCH endpoint of the API matches this path'],
    ['PATCH /api/campaigns=hang', 'no PATCH endpoint of the API matches this path'],
    ['* /api/*=hang:1', 'there is no kind "hang:1"'],
    ['* /elsewhere=hang', 'no endpoint of the API matches this path'],
    ['POST /api/campaigns#0=hang', 'with N at least 1'],
    ['POST /api/campaigns=explode', 'there is no kind "explode"'],
    ['POST /api/campaigns=__proto__', 'there is no kind "__proto__"'],
    ['POST /api/campaigns=302-before', 'there is no kind "302-before"'],
  ])('%s', (fault, why) => {
    expect(() => parseFault(fault)).toThrow(why);
    expect(() => parseFault(fault)).toThrow(Failure);
  });

  it('is always reported as a usage error', () => {
    const word = fc.constantFrom(
      'POST',
      '*',
      ' ',
      '/',
      '/api/campaigns',
      '#',
      '1',
      '-',
      '=',
      'hang',
      '429-after',
      '__proto__',
      '(',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join('')),
        ),
        (text) => {
          try {
            expect(parseFault(text).struck.fault).toBe(text);
          } catch (error) {
            expect(error).toBeInstanceOf(Failure);
          }
        },
      ),
    );
  });
});
