import { expect, test } from 'vitest';
import type { PausePhase, Wait } from '../../src/model/waits.js';
import { waitLine } from '../../src/view/waits.js';

const request = 'GET https://api.example.com/api/campaigns?page=3';
const pausing = (phase: PausePhase): Wait => ({ kind: 'pause', phase, environment: 'production' });
const CASES: [Wait, string][] = [
  [{ kind: 'answer', request, isLast: false }, `Still waiting for ${request} (2 s; tries again after 30 s).`],
  [{ kind: 'answer', request, isLast: true }, `Still waiting for ${request} (2 s; gives up after 30 s).`],
  [
    { kind: 'limited', asked: true },
    'Waiting 28 s: the service answered with status 429 (too many requests) and asks for this wait.',
  ],
  [
    { kind: 'limited', asked: false },
    'Waiting 28 s: the service answered with status 429 (too many requests).',
  ],
  [
    { kind: 'pacing', requests: 1200, perMinute: 60 },
    'The limit of 60 requests a minute (requests_per_minute) slows this command down: the next 1,200 requests take about 28 s.',
  ],
  [
    { kind: 'retry', request, fault: 'status 503: busy', tries: 1, maxTries: 5 },
    `Waiting 28 s before sending ${request} again: status 503: busy (tried once; gives up after 5).`,
  ],
  [
    {
      kind: 'retry',
      request: 'PATCH /a',
      fault: 'could not connect to send PATCH /a',
      tries: 3,
      maxTries: 5,
    },
    'Waiting 28 s before the next attempt: could not connect to send PATCH /a (tried 3 times; gives up after 5).',
  ],
  [
    { kind: 'effect', campaign: 'Spring\n', what: 'what was sent' },
    'Waiting up to 28 s for the service to show what was sent (Spring⏎).',
  ],
  [
    { kind: 'earlier-run', who: 'ada@desk', at: '2026-11-27', requests: ['"launch" for Spring'] },
    'An earlier run (ada@desk, 2026-11-27) sent requests that the service does not show yet: "launch" for Spring. Waiting up to 28 s for it to show them.',
  ],
  [
    { kind: 'lock', environment: 'production', holder: 'ada@desk' },
    'Waiting up to 28 s for another apply to production (ada@desk).',
  ],
  [
    { kind: 'git', command: 'fetch', remote: 'origin' },
    'Still waiting for git fetch, remote origin (2 s; gives up after 30 s).',
  ],
  [
    { kind: 'git', command: 'cat-file', remote: null },
    'Still waiting for git cat-file (2 s; gives up after 30 s).',
  ],
  [
    { kind: 'push', fault: 'No route to host.' },
    'Waiting 28 s before pushing the state again: No route to host.',
  ],
  [
    { kind: 'checkout', question: 'which commit is checked out' },
    'Waiting up to 30 s for git to say which commit is checked out.',
  ],
  [pausing('list'), 'Waiting up to 28 s for the list of campaigns (production).'],
  [pausing('proof'), 'Waiting up to 28 s for the service to show the pauses (production).'],
  [
    pausing('lock'),
    'Waiting up to 28 s for git to say whether an apply is at work, because it may launch campaigns (production).',
  ],
  [
    pausing('apply'),
    'Waiting up to 28 s for another apply to end, because it may launch campaigns (production).',
  ],
];

test.each(CASES)('%j', (wait, line) => {
  expect(waitLine(wait, { elapsed: 2_000.4, left: 27_999.6 })).toBe(`${line}\n`);
});

test('waits of two minutes or more are given in minutes', () => {
  const wait: Wait = { kind: 'pacing', requests: 240, perMinute: 60 };
  expect(waitLine(wait, { elapsed: 0, left: 240_000 })).toContain('about 4 minutes.');
  expect(waitLine(wait, { elapsed: 0, left: 119_000 })).toContain('about 119 s.');
});
