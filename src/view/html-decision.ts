/** What to do with a plan: boxes to tick, and buttons that copy the decision and the command. */
import { thousands } from '../model/words.js';
import type { Decision, Steps } from './document.js';
import { exactly, fold, type Html, html } from './html-page.js';

/** Maximum number of open boxes. */
const MAX_DECISIONS = 16;
export function stepsPart({ refusal, review, applying, decision }: Steps): Html {
  const items = [...(refusal === null ? [] : [refusal]), ...review];
  const steps = applying.map(({ words, command }) =>
    command === null
      ? html`<p>${words}</p>`
      : html`<p>${words}</p><figure class="command"><pre tabindex="0">${wholeFlags(command)}</pre><button type="button" class="copy" hidden data-text="${exactly(command)}">Copy</button></figure>`,
  );
  return html`<section class="next" aria-labelledby="next"><h2 id="next">What to do</h2><ol>${items.map((item) => html`<li>${item}</li>`)}</ol>${decision === null ? null : decisionPart(decision)}${steps.length === 0 ? null : fold('For the person who applies the plan', steps)}</section>`;
}

/** A line does not break inside the name of a flag. The page's script does the same. */
function wholeFlags(command: string): Html[] {
  return command
    .split(/(--[a-z-]{1,16})(?= )/)
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<span class="flag">${part}</span>`));
}

/** A box for each approval, and buttons that copy what is ticked: for the review, and for the person who applies. */
function decisionPart({ environment, fingerprint, command, options, note }: Decision): Html {
  const boxes = options.map(
    ({ words, allow, hold, isCarried }) =>
      html`<li><label><input type="checkbox" data-words="${words}" data-allow="${exactly(allow)}" data-hold="${exactly(hold)}" data-carry="${isCarried ? 'yes' : ''}"> ${words}</label></li>`,
  );
  const list = html`<ul class="tasks">${boxes}</ul>`;
  return html`<fieldset class="decision" hidden data-environment="${environment}${fingerprint && ` (plan ${fingerprint.slice(7, 19)})`}" data-command="${exactly(command ?? '')}" data-note="${note}"><legend>My decision</legend><p class="quiet">Tick what you approve. A launch that is not ticked is held. If anything else is not ticked and apply still needs its approval, apply is refused as a whole.</p>${boxes.length > MAX_DECISIONS ? fold(`${thousands(boxes.length)} decisions, one by one`, list) : list}${boxes.length > 2 ? html`<button type="button" class="all">Tick all</button> ` : null}<button type="button" class="copy" data-copies="decision">Copy my decision</button>${command === null ? null : html` <button type="button" class="copy" data-copies="command">Copy the command</button>`}<p class="said quiet" aria-live="polite"></p>${command === null ? null : html`<pre class="shown" tabindex="0"></pre>`}</fieldset>`;
}

/** Composes the texts of the two buttons whenever a box is ticked. Needs `COPY_SCRIPT`. */
export const DECISION_SCRIPT = `
for (const form of document.querySelectorAll('fieldset.decision')) {
  const boxes = [...form.querySelectorAll('input')];
  const [decision, command] = form.querySelectorAll('button.copy');
  form.querySelector('button.all')?.addEventListener('click', () => {
    const rest = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = rest;
    compose();
  });
  const compose = () => {
    const yes = boxes.filter((box) => box.checked);
    const no = boxes.filter((box) => !box.checked);
    const list = (title, some) => some.length === 0 ? [] : [title, ...some.map((box) => '- ' + box.dataset.words)];
    decision.dataset.text = ['Plan for ' + form.dataset.environment, ...list('Approved:', yes), ...list('Not approved:', no)].join('\\n');
    const launches = boxes.filter((box) => box.dataset.hold !== '');
    // One flag may hold all launches, also later ones; approvals have names, because nobody has reviewed later ones.
    const isShort = launches.length > 3 && launches.every((box) => !box.checked);
    const holds = isShort ? ['--hold launch'] : no.map((box) => box.dataset.hold);
    const flags = [...yes.map((box) => box.dataset.allow), ...holds].filter(Boolean);
    const open = no.filter((box) => box.dataset.hold === '');
    const held = no.length - open.length;
    const carried = yes.filter((box) => box.dataset.carry !== '');
    const said = [
      boxes.length === yes.length ? 'Approves everything.' : 'Approves ' + yes.length + ', holds ' + held + '.',
      ...(command === undefined ? ['Apply refuses this plan, whatever is ticked.'] : []),
      ...(command === undefined || open.length === 0 ? [] : [(held === 0 ? '' : 'Unless the held launches resolve it, ') + (held === 0 ? 'Apply' : 'apply') + ' is refused as a whole until this is ticked or resolved: ' + open.map((box) => box.dataset.words).join(', ') + '.']),
      ...(carried.length === 0 ? [] : ['Is anything to be carried over by hand first? Then do not tick yet: ' + carried.map((box) => box.dataset.words).join(', ') + '.']),
      ...(held === 0 || form.dataset.note === '' ? [] : [form.dataset.note]),
    ];
    form.querySelector('.said').textContent = said.join(' ');
    decision.textContent = 'Copy my decision';
    // Without a command, apply refuses the plan whatever is ticked.
    if (command === undefined) return;
    command.dataset.text = [form.dataset.command, ...flags].join(' ');
    command.textContent = 'Copy the command';
    const whole = (flag) => Object.assign(document.createElement('span'), { className: 'flag', textContent: flag });
    const parts = command.dataset.text.split(/(--[a-z-]{1,16})(?= )/);
    form.querySelector('pre').replaceChildren(...parts.map((part, at) => at % 2 === 0 ? part : whole(part)));
  };
  form.addEventListener('change', compose);
  compose();
  form.hidden = false;
}
`;

/** The script works offline and without permission to use the clipboard. */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const { text } = button.dataset;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement('textarea');
      field.value = text;
      button.after(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    button.textContent = 'Copied';
    button.removeAttribute('aria-label');
  });
}
`;
