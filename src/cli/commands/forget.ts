import { addressOf, type Environment } from '../../model/environment.js';
import { EXIT } from '../../model/failure.js';
import { count } from '../../model/words.js';
import { openPlace } from '../../operations/session.js';
import { type Forgettable, forgetCampaign } from '../../operations/state.js';
import { visibleLine } from '../../view/index.js';
import { argument, lockTimeout, naming, yes } from '../options.js';
import { defineReport } from '../report.js';
import { confirm, watchInterrupts } from '../shell.js';

const positionals = {
  campaign: naming('entries', argument('Name or id of a campaign that the state knows')),
};
const options = { lockTimeout, yes };

/** Takes a campaign out of the state, and says what was kept of it. Opens no connection: there is nothing to send with. */
export const command = defineReport({
  positionals,
  options,
  examples: [
    ['campaignctl forget "Spring installers"', 'after its manifest was removed'],
    ['campaignctl forget 42 --env production --yes', 'by its id, without the question'],
  ],
  async run(flags, shell, report) {
    const place = await openPlace(flags, shell);
    const { signal } = watchInterrupts(shell);
    const known = await forgetCampaign(place, flags.campaign, {
      ...{ seconds: flags.lockTimeout, signal },
      async confirm(found) {
        const what = `${describe(found, place.environment)}\n`;
        if (flags.yes) return shell.out(what);
        const question = `${what}Nothing is sent, and the campaign stays as it is in the service. Only "yes" forgets it: `;
        await confirm(shell, question, { signal, kept: `${which(found)}, was not forgotten` });
      },
    });
    const { name, entry, manifest } = known;
    const facts = { environment: place.environment.name, id: entry?.id ?? null, name, managed_by: manifest };
    report(
      { version: 1, command: 'forget', ...facts },
      `Forgot ${which(known)}. Nothing was sent.${warning(known)}\n`,
    );
    return EXIT.ok;
  },
});

function which({ name, entry }: Forgettable): string {
  return entry === null ? `"${visibleLine(name)}"` : `campaign ${entry.id}, "${visibleLine(name)}"`;
}

/** Everything that will not be known any more. */
function describe(known: Forgettable, environment: Environment): string {
  const address = addressOf(environment);
  const { entry, pending } = known;
  const { lists, ids } = entry?.recorded.attached ?? { lists: [], ids: [] };
  const [firstPending] = pending;
  const last = entry?.recorded.last ?? null;
  const requests = pending.reduce((sum, { sent }) => sum + sent.length, 0);
  const kept = [
    ...(lists.length > 0 ? [`lead list${lists.length === 1 ? '' : 's'} ${lists.join(', ')} attached`] : []),
    ...(ids.length > 0 ? [`${count(ids.length, 'individual lead')} attached`] : []),
    ...(last === null ? [] : [`in sync on ${last.at.slice(0, 10)}`]),
    ...(firstPending === undefined
      ? []
      : [`${count(requests, 'request')} of an earlier run, whose outcome no later run looks for then`]),
  ];
  const manifest = visibleLine(entry?.manifest ?? firstPending?.manifest ?? '');
  const what = kept.length === 0 ? '' : `: ${visibleLine(kept.join('; '))}`;
  const where =
    known.base_url === address ? '' : ` at ${known.base_url ?? 'an address that it does not tell'}`;
  return `The state of ${environment.name} knows ${which(known)}${where} (${manifest})${what}.`;
}

function warning({ manifest }: Forgettable): string {
  if (manifest === null) return '';
  return `\n! ${visibleLine(manifest)} still manages it: the next plan finds it by its name, and does not know which leads are attached.`;
}
