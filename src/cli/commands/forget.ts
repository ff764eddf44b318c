import type { Environment } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import { type LeadRefs, NO_LEADS } from '../../model/state.js';
import { count, dayOf } from '../../model/words.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import { type Forgettable, forgetCampaign, forgetLeads } from '../../operations/state.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

type ForgetFlags = Flags<'forget'>;

export async function run(flags: ForgetFlags, shell: Shell): Promise<ExitCode> {
  const place = await openPlace(flags, shell);
  const { signal } = watchInterrupts(shell);
  if (flags.removedLeads) return leadsOnly(flags, place, { ...shell, signal });
  const known = await forgetCampaign(place, flags.campaign, {
    seconds: flags.lockTimeout,
    signal,
    async confirm(campaign) {
      const what = `${describe(campaign, place.environment)}\n`;
      if (flags.yes) return shell.out(what);
      const question = `${what}Nothing is sent, and the campaign stays as it is in the service. Type "yes" to forget it: `;
      await confirm(shell, question, { signal, kept: `${title(campaign)}, was not forgotten` });
    },
  });
  shell.out(`Forgot ${title(known)}. Nothing was sent.${warning(known)}\n`);
  return EXIT.ok;
}

async function leadsOnly(
  flags: ForgetFlags,
  place: ProjectPlace,
  shell: Shell & { signal: AbortSignal },
): Promise<ExitCode> {
  const { signal } = shell;
  const leads = await forgetLeads(place, flags.campaign, {
    seconds: flags.lockTimeout,
    signal,
    async confirm(campaign, attached) {
      const what = `The manifest ${visibleLine(campaign.manifest ?? '')} does not include ${attachedWords(attached).join(' and ')} to ${title(campaign)}.\n`;
      if (flags.yes) return shell.out(what);
      const question = `${what}If you have removed them in the service's web app, type "yes" to forget them. Nothing is sent: `;
      await confirm(shell, question, { signal, kept: 'nothing was forgotten' });
    },
  });
  shell.out(
    leads === null
      ? `There is nothing to forget: the state records no leads of "${visibleLine(flags.campaign)}" that a manifest manages but no longer lists.\n`
      : 'Forgot these leads. Nothing was sent. Attaching them again needs approval, because they may still be attached.\n',
  );
  return EXIT.ok;
}

function attachedWords({ lists, ids }: LeadRefs): string[] {
  return [
    ...(lists.length > 0 ? [`lead list${lists.length === 1 ? '' : 's'} ${lists.join(', ')} attached`] : []),
    ...(ids.length > 0 ? [`${count(ids.length, 'individual lead')} attached`] : []),
  ];
}

function title({ name, entry }: Forgettable): string {
  return entry === null ? `"${visibleLine(name)}"` : `campaign ${entry.id}, "${visibleLine(name)}"`;
}

function describe(known: Forgettable, environment: Environment): string {
  const { entry, pending } = known;
  const [firstPending] = pending;
  const last = entry?.recorded.last ?? null;
  const requests = pending.reduce((sum, { sent }) => sum + sent.length, 0);
  const kept = [
    ...attachedWords(entry?.recorded.attached ?? NO_LEADS),
    ...(last === null ? [] : [`in sync on ${dayOf(last.at)}`]),
    ...(firstPending === undefined
      ? []
      : [`${count(requests, 'request')} of an earlier run, whose outcome then stays unknown`]),
  ];
  const manifest = visibleLine(entry?.manifest ?? firstPending?.manifest ?? '');
  const what = kept.length === 0 ? '' : `: ${visibleLine(kept.join('; '))}`;
  return `The state of ${environment.name} has ${title(known)} (${manifest})${what}.`;
}

function warning({ manifest }: Forgettable): string {
  if (manifest === null) return '';
  return `\n! ${visibleLine(manifest)} still manages the campaign: the next plan finds it by name, but has no record of the attached leads.`;
}
