import { describe, expect, it } from 'vitest';
import { openProgress } from '../../src/cli/commands/apply.js';
import { processShell } from '../../src/cli/shell.js';
import type { Plan } from '../../src/model/outputs.js';
import type { ProgressEvent } from '../../src/model/progress.js';
import type { ApplyEvent } from '../../src/model/reports.js';
import { fakeClock } from '../support/clock.js';

const CLEAR = '\r\u001b[K';
const LIST: ProgressEvent = { doing: 'list', done: 0, total: null, about: null };
const campaigns = (done: number): ProgressEvent => ({ doing: 'campaigns', done, total: 1200, about: null });

function terminal({ isTTY = true, quiet = false, columns = 100 } = {}) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY, columns };
  const clock = fakeClock();
  const shell = processShell({ color: 'never', quiet }, { stdout: stream, stderr: stream }, clock);
  return {
    ...{ clock, shell },
    report: (event: ProgressEvent) => shell.report?.(event),
    /** What was written since the last call. */
    seen: () => written.splice(0).join(''),
  };
}

describe('progress', () => {
  it('appears a second after the first event, and is rewritten on one line', async () => {
    const { clock, report, seen } = terminal();
    report(LIST);
    await clock.sleep(999);
    report(campaigns(0));
    expect(seen()).toBe('');
    await clock.sleep(1);
    expect(seen()).toBe(`${CLEAR}Reading campaigns: 0 of 1,200`);
    report(campaigns(12));
    expect(seen()).toBe(`${CLEAR}Reading campaigns: 12 of 1,200`);
  });

  it('does not appear if the command is faster', async () => {
    const { clock, shell, report, seen } = terminal();
    report(campaigns(12));
    await clock.sleep(900);
    shell.out('Done.\n');
    await clock.sleep(60_000);
    expect(seen()).toBe('Done.\n');
  });

  it('stays below messages, and ends with the result', async () => {
    const { clock, shell, report, seen } = terminal();
    report(campaigns(12));
    await clock.sleep(1_000);
    seen();
    shell.err('Waiting.\n');
    expect(seen()).toBe(`${CLEAR}Waiting.\n${CLEAR}Reading campaigns: 12 of 1,200`);
    shell.out('Done.\n');
    expect(seen()).toBe(`${CLEAR}Done.\n`);
    shell.err('Saved.\n');
    shell.clearProgress();
    expect(seen()).toBe('Saved.\n');
  });

  it('is cleared at the end of a command that fails', async () => {
    const { clock, shell, report, seen } = terminal();
    report(campaigns(12));
    await clock.sleep(1_000);
    seen();
    shell.clearProgress();
    await clock.sleep(60_000);
    expect(seen()).toBe(CLEAR);
  });

  it('names the list while it is read, with the number of campaigns if the service says it', async () => {
    const { clock, report, seen } = terminal();
    report(LIST);
    await clock.sleep(1_000);
    report({ ...LIST, done: 100 });
    report({ ...LIST, done: 200, total: 240 });
    const words = 'Reading the list of campaigns';
    expect(seen()).toBe(`${CLEAR}${words}${CLEAR}${words}: 100${CLEAR}${words}: 200 of 240`);
  });

  it('counts projects too, and fits the terminal', async () => {
    const { clock, report, seen } = terminal({ columns: 60 });
    const project = { name: 'clients/東京 production', number: 2, of: 5 };
    report({ ...campaigns(12), project });
    await clock.sleep(1_000);
    expect(seen()).toBe(`${CLEAR}Project 2 of 5 · clients/東京 production · Reading campaig…`);
  });

  it.each([{ isTTY: false }, { quiet: true }])('is not shown: %j', (options) => {
    expect(terminal(options).shell.report).toBeUndefined();
  });

  it('is not the only thing that --quiet hides: it hides waits too', () => {
    const { shell, seen } = terminal({ quiet: true });
    shell.err('Waiting 12 s.\n');
    shell.out('Done.\n');
    expect(seen()).toBe('Done.\n');
  });
});

describe('apply', () => {
  const plan = { summary: { requests: 2 } } as Plan;
  const step = { campaign: 'Spring', step: 'create', title: 'create' };
  const EVENTS: ApplyEvent[] = [
    { type: 'step-started', ...step },
    { type: 'step-ended', ...step, result: 'done' },
    { type: 'trouble', message: 'Not\r closed.' },
  ];

  it('counts the requests that have ended', async () => {
    const { clock, shell, seen } = terminal();
    const progress = openProgress(plan, shell);
    for (const [at, event] of EVENTS.entries()) {
      progress(event);
      if (at === 0) await clock.sleep(1_000);
    }
    expect(seen()).toBe(
      `${CLEAR}Sending requests: 0 of 2 · Spring: create${CLEAR}Sending requests: 1 of 2 · Spring: create${CLEAR}! Not⏎ closed.\n${CLEAR}Sending requests: 1 of 2 · Spring: create`,
    );
  });

  it('shows only problems without a terminal', () => {
    const { shell, seen } = terminal({ isTTY: false });
    const progress = openProgress(plan, shell);
    for (const event of EVENTS) progress(event);
    expect(seen()).toBe('! Not⏎ closed.\n');
  });
});
