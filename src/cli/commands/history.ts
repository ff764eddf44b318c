import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { applyAtWork } from '../../operations/lock.js';
import { openPlace } from '../../operations/place.js';
import { reportHistory, requestsDocument, runsDocument } from '../../view/runs.js';
import type { Flags } from '../commands.js';
import { printDocument } from '../print.js';
import type { Shell } from '../shell.js';

const MAX_RUNS = 20;

export async function run(flags: Flags<'history'>, shell: Shell): Promise<ExitCode> {
  const { environment, backend, store } = await openPlace(flags, shell);
  const other = await applyAtWork(backend, shell);
  if (other !== null) {
    const is = other.certain ? 'is' : 'may still be';
    shell.err(`! Another apply ${is} running (${other.holder}). Its run may be incomplete below.\n`);
  }
  const runs = await store.runs({ limit: MAX_RUNS, prefix: flags.run ?? '' });
  if (flags.run !== null && runs.length === 0)
    throw new Failure({
      code: 'unknown-run',
      message: `The environment ${environment.name} has no run that begins with "${flags.run}".`,
      hint: `campaignctl history lists the last ${MAX_RUNS} runs.`,
    });
  const documentOf = flags.run === null ? runsDocument : requestsDocument;
  const document = documentOf(environment.name, runs);
  await printDocument({ document, value: reportHistory(environment.name, runs) }, flags, shell);
  return EXIT.ok;
}
