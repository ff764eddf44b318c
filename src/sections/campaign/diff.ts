import type { Difference, SectionContext } from '../section.js';
import { meaningOf } from '../status/words.js';
import type { Desired, Live } from './state.js';

/** White space around a name and control characters in it are nothing that a manifest can say. */
function sayable(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}

export function diff(live: Live, desired: Desired, context: SectionContext): Difference {
  if (live === null) {
    const change = {
      section: 'campaign',
      path: 'name',
      kind: 'add',
      from: null,
      to: desired.name,
      note: null,
    } as const;
    return { changes: [change], problems: [] };
  }
  const problems: Difference['problems'] = [];
  if (live.name !== null && live.name !== desired.name && sayable(live.name) !== desired.name) {
    problems.push({
      code: 'name-differs',
      severity: 'warning',
      message: `Campaign ${live.id} is called "${live.name}" in the service. It is pinned by id, so it is the one meant; a name cannot be changed through this interface.`,
      hint: `Write name: ${JSON.stringify(live.name)}, or rename the campaign in the web page of the service.`,
    });
  }
  if (meaningOf(live.status, context.environment.service.statuses) === 'gone') {
    problems.push({
      code: 'campaign-gone',
      severity: 'blocked',
      message: `Campaign ${live.id} is "${live.status}" in the service. Nothing can be changed on it, and this interface cannot bring it back.`,
      hint: 'Restore it in the web page of the service, or give the manifest another name to make a new campaign.',
    });
  }
  return { changes: [], problems };
}
