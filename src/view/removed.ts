import type { Plan } from '../model/outputs.js';
import { count, thousands } from './words.js';

/** A campaign without a manifest, and what is known of it: "id 12 · spring.yaml · active · up to 200 emails a day". */
interface RemovedLine {
  name: string;
  text: string;
}

/** What a plan says of campaigns whose manifests are gone. */
export interface RemovedNotice {
  kind: 'removed';
  removed: RemovedLine[];
  hint: string;
}

/** A sentence of its own, so that no sentence about the others hides it. */
export function withoutManifest(removed: Plan['removed']): string {
  const running = removed.filter((campaign) => campaign.running).length;
  if (running > 0)
    return ` ${count(running, 'campaign')} without a manifest ${running === 1 ? 'runs' : 'run'}.`;
  const { length } = removed;
  return length === 0
    ? ''
    : ` ${count(length, 'campaign')} ${length === 1 ? 'has' : 'have'} no manifest any more.`;
}

/** The campaigns without a manifest, for the head of a plan: none, or one notice. */
export function removedNotice({ removed, mode, environment }: Plan): (RemovedNotice & { title: string })[] {
  if (removed.length === 0) return [];
  const running = removed.filter((campaign) => campaign.running).length;
  const paused = removed.filter(({ step }) => step !== null).length;
  const lines = removed.map(({ name, id, manifest, status, max_emails_per_day: cap, step }) => ({
    name,
    text: [
      ...[`id ${id}`, manifest, status ?? 'status not shown'],
      ...(cap === null ? [] : [`up to ${count(cap, 'email')} a day`]),
      ...(step === null ? [] : ['apply pauses it']),
    ].join(' · '),
  }));
  const done =
    paused > 0
      ? 'Apply pauses what runs (on_removal: pause). '
      : 'Apply sends nothing to them: they go on as they are. on_removal: pause in the project file pauses what runs. ';
  const effect = mode === 'drift' ? '' : done;
  const [only, ...others] = removed;
  const id = others.length === 0 ? only?.id : 'ID';
  const sends = running === 0 ? '' : `, ${thousands(running)} of them running`;
  return [
    {
      kind: 'removed',
      title: `Without a manifest: ${count(removed.length, 'campaign')} that the state knows${sends}`,
      removed: lines,
      hint: `${effect}To manage a campaign again, bring its manifest back. To be done with it, run campaignctl forget ${id} --env ${environment}.`,
    },
  ];
}
