import type { PausePhase, Wait } from '../model/waits.js';
import { count, listed, thousands } from '../model/words.js';
import { visibleLine } from './terminal.js';

const MAX_NAMED = 5;

/** In milliseconds. `elapsed`: so far. `left`: from now on. */
export function waitLine(wait: Wait, { elapsed, left }: { elapsed: number; left: number }): string {
  return `${visibleLine(sentence(wait, { elapsed, left }))}\n`;
}

function sentence(wait: Wait, { elapsed, left }: { elapsed: number; left: number }): string {
  switch (wait.kind) {
    case 'answer':
      return `Still waiting for ${wait.request} (${seconds(elapsed)}; ${wait.isLast ? 'gives up' : 'tries again'} after ${duration(elapsed + left)}).`;
    case 'limited':
      return `Waiting ${duration(left)}: the service answered with status 429 (too many requests)${wait.asked ? ' and asks for this wait' : ''}.`;
    case 'pacing':
      return `The limit of ${count(wait.perMinute, 'request')} a minute (requests_per_minute) slows this command down: the next ${count(wait.requests, 'request')} take about ${duration(left)}.`;
    case 'retry':
      return `Waiting ${duration(left)} before ${nextAttempt(wait)}: ${wait.fault} (tried ${times(wait.tries)}; gives up after ${wait.maxTries}).`;
    case 'effect':
      return `Waiting up to ${duration(left)} for the service to show ${wait.what} (${wait.campaign}).`;
    case 'earlier-run':
      return `An earlier run (${wait.who}, ${wait.at}) sent requests that the service does not show yet: ${listed(wait.requests, MAX_NAMED)}. Waiting up to ${duration(left)} for it to show them.`;
    case 'lock':
      return `Waiting up to ${duration(left)} for another apply to ${wait.environment} (${wait.holder}).`;
    case 'git':
      return `Still waiting for git ${wait.command}${wait.remote === null ? '' : `, remote ${wait.remote}`} (${seconds(elapsed)}; gives up after ${duration(elapsed + left)}).`;
    case 'push':
      return `Waiting ${duration(left)} before pushing the state again: ${wait.fault}`;
    case 'checkout':
      return `Waiting up to ${duration(elapsed + left)} for git to say ${wait.question}.`;
    case 'pause':
      return `Waiting up to ${duration(left)} for ${PHASES[wait.phase]} (${wait.environment}).`;
  }
}

const PHASES: Record<PausePhase, string> = {
  list: 'the list of campaigns',
  campaigns: 'the service to show each campaign',
  state: 'the state and the manifests',
  proof: 'the service to show the pauses',
  lock: 'git to say whether an apply is at work, because it may launch campaigns',
  apply: 'another apply to end, because it may launch campaigns',
  record: 'the state to record the pauses',
};

/** The fault of a write names its request. */
function nextAttempt({ request, fault }: Extract<Wait, { kind: 'retry' }>): string {
  return fault.includes(request) ? 'the next attempt' : `sending ${request} again`;
}

function times(number: number): string {
  return number === 1 ? 'once' : `${number} times`;
}

function seconds(elapsed: number): string {
  return `${Math.floor(elapsed / 1000)} s`;
}

/** Rounded up. */
function duration(milliseconds: number): string {
  const rounded = Math.ceil(Math.round(milliseconds) / 1000);
  return rounded < 120 ? `${rounded} s` : `${thousands(Math.ceil(rounded / 60))} minutes`;
}
