import { describe, expect, it } from 'vitest';
import { awaiting, type Wait, type WaitLength } from '../../src/model/waits.js';
import { waitsOfPause } from '../../src/operations/pause-waits.js';
import { openWaits } from '../../src/operations/waits.js';
import { fakeClock } from '../support/clock.js';

const answer = (path: string): Wait => ({ kind: 'answer', request: `GET ${path}`, isLast: true });
const LIMITED: Wait = { kind: 'limited', asked: true };

function open() {
  const clock = fakeClock();
  const lines: string[] = [];
  const began = clock.elapsed();
  const err = (line: string) => lines.push(`${Math.round(clock.elapsed() - began)}: ${line}`);
  const waits = openWaits({ err, clock });
  return { clock, lines, waits };
}

describe('a wait whose length is not known', () => {
  it('is announced once it has lasted two seconds', async () => {
    const { clock, lines, waits } = open();
    waits.begin(answer('/a'), { most: 30_000 });
    await clock.sleep(1_999);
    expect(lines).toEqual([]);
    await clock.sleep(60_000);
    expect(lines).toEqual(['2000: Still waiting for GET /a (2 s; gives up after 30 s).\n']);
  });

  it('is not announced if it ends before', async () => {
    const { clock, lines, waits } = open();
    const end = waits.begin(answer('/a'), { most: 30_000 });
    await clock.sleep(1_999);
    end();
    await clock.sleep(60_000);
    expect(lines).toEqual([]);
  });

  it('is not announced if it cannot last two seconds', async () => {
    const { clock, lines, waits } = open();
    waits.begin(answer('/a'), { most: 2_000 });
    await clock.sleep(60_000);
    expect(lines).toEqual([]);
  });

  it('ends with the work, even if that fails', async () => {
    const { clock, lines, waits } = open();
    const work = Promise.reject(new Error('lost'));
    await expect(awaiting(waits, answer('/a'), { work, most: 30_000 })).rejects.toThrow('lost');
    await clock.sleep(60_000);
    expect(lines).toEqual([]);
  });
});

describe('a wait whose length is known', () => {
  const announced = (length: WaitLength) => {
    const { lines, waits } = open();
    waits.begin(LIMITED, { isCertain: true, ...length });
    return lines.length;
  };

  it('is announced at once if it takes more than two seconds', () => {
    expect(announced({ most: 2_001 })).toBe(1);
    expect(announced({ most: 2_000 })).toBe(0);
  });

  it('adds to what was awaited before', () => {
    expect(announced({ most: 1_000, before: 1_500 })).toBe(1);
    expect(announced({ most: 1_000, before: 900 })).toBe(0);
  });
});

describe('waits of the same kind', () => {
  it('are announced once if they end together', async () => {
    const { clock, lines, waits } = open();
    for (let times = 0; times < 64; times += 1) waits.begin(LIMITED, { most: 60_000, isCertain: true });
    await clock.sleep(60_000);
    expect(lines.length).toBe(1);
  });

  it.each([
    ['once', 'a second', 46_000, 1],
    ['twice', 'more than a second', 46_001, 2],
  ])('are announced %s if the second ends %s later', async (_, __, most, times) => {
    const { clock, lines, waits } = open();
    waits.begin(LIMITED, { most: 60_000, isCertain: true });
    await clock.sleep(15_000);
    waits.begin(LIMITED, { most, isCertain: true });
    await clock.sleep(60_000);
    expect(lines).toHaveLength(times);
  });

  it('are announced at most every ten seconds', async () => {
    const { clock, lines, waits } = open();
    for (let times = 0; times < 10; times += 1) {
      const end = waits.begin(answer(`/${times}`), { most: 30_000 });
      await clock.sleep(5_000);
      end();
    }
    const at = lines.map((line) => Number.parseInt(line, 10));
    expect(at).toEqual([2_000, 12_000, 22_000, 32_000, 42_000]);
  });

  it('are announced late if the announced one has ended before them', async () => {
    const { clock, lines, waits } = open();
    const end = waits.begin(answer('/first'), { most: 30_000 });
    waits.begin(answer('/second'), { most: 30_000 });
    await clock.sleep(3_000);
    end();
    await clock.sleep(20_000);
    expect(lines).toEqual([
      '2000: Still waiting for GET /first (2 s; gives up after 30 s).\n',
      '12000: Still waiting for GET /second (12 s; gives up after 30 s).\n',
    ]);
  });
});

it('waits of different kinds do not hide each other', () => {
  const { lines, waits } = open();
  waits.begin(LIMITED, { most: 60_000, isCertain: true });
  waits.begin({ kind: 'push', fault: 'Lost.' }, { most: 60_000, isCertain: true });
  expect(lines.length).toBe(2);
});

it('a paced series is announced again only if it takes longer, and at most once a minute', async () => {
  const { clock, lines, waits } = open();
  const pacing = { kind: 'pacing', perMinute: 60 } as const;
  waits.begin({ ...pacing, requests: 120 }, { most: 120_000, isCertain: true });
  for (let requests = 120; requests > 0; requests -= 1) {
    waits.begin({ ...pacing, requests }, { most: requests * 1000, isCertain: true });
    await clock.sleep(1_000);
  }
  expect(lines.length).toBe(1);
});

it('a pause announces only waits that hold it up', async () => {
  const { clock, lines, waits } = open();
  const ofPause = waitsOfPause(waits);
  const length = { most: 30_000 };
  ofPause.begin(answer('/api/campaigns'), length);
  const retry = {
    kind: 'retry',
    request: 'GET /api/campaigns',
    fault: 'lost',
    tries: 1,
    maxTries: 5,
  } as const;
  ofPause.begin(retry, length);
  ofPause.begin({ kind: 'git', command: 'fetch', remote: 'origin' }, length);
  ofPause.begin({ kind: 'checkout', question: 'which commit is checked out' }, length);
  ofPause.begin({ kind: 'answer', request: 'PATCH /api/campaigns/5/pause', isLast: true }, length);
  await clock.sleep(60_000);
  expect(lines).toEqual([
    '2000: Still waiting for PATCH /api/campaigns/5/pause (2 s; gives up after 30 s).\n',
  ]);
});
