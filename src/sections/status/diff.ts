import type { Problem } from '../../model/problem.js';
import type { Difference, SectionContext } from '../section.js';
import type { Desired, Live } from './state.js';

const NOTHING: Difference = { changes: [], problems: [] };

export function diff(live: Live, desired: Desired, context: SectionContext): Difference {
  switch (live.meaning) {
    case 'running':
    case 'starting':
      return desired === 'running' ? NOTHING : changed(live, desired, []);
    case 'stopped':
      return desired === 'paused' ? NOTHING : changed(live, desired, [launchHazard()]);
    // A finished campaign has nothing left to send: it satisfies both. One that is gone is the campaign's problem.
    case 'finished':
    case 'gone':
      return NOTHING;
    case 'unknown':
      return unknownWord(live, desired, context);
  }
}

/** An unknown word is compared with what was last set. Pausing is harmless, a launch is not. */
function unknownWord(live: Live, desired: Desired, { recorded }: SectionContext): Difference {
  const said =
    live.word === null ? 'The service shows no status' : `The status "${live.word}" is not a known word`;
  const hint =
    'Say what its words mean under service: statuses (running, starting, stopped, finished, gone).';
  if (recorded.status === desired) {
    const message = `${said}: it was compared with what was last set here (${desired}).`;
    return { changes: [], problems: [{ code: 'unknown-status', severity: 'warning', message, hint }] };
  }
  const message =
    desired === 'running'
      ? `${said}: whether the campaign already sends is not known, so it is not launched.`
      : `${said}: whether the campaign already stands still is not known, so it is paused.`;
  return changed(live, desired, [
    { code: 'unknown-status', severity: desired === 'running' ? 'blocked' : 'warning', message, hint },
  ]);
}

function changed(live: Live, desired: Desired, problems: Problem[]): Difference {
  const change = {
    section: 'status',
    path: '',
    kind: 'update',
    from: live.word,
    to: desired,
    note: null,
  } as const;
  return { changes: [change], problems };
}

function launchHazard(): Problem {
  return {
    code: 'launch',
    severity: 'hazard',
    message:
      'The campaign is launched: it starts to send emails to real people, and that cannot be taken back.',
    hint: 'Accept it with --allow launch, or leave launches out with --hold launch.',
  };
}
