/**
 * Reloads a served preview. The server checks the files whenever the page asks for the version, so that nothing runs while no
 * page is open. A campaign that did not change keeps its frames; the place and the folds are kept. Links and fields with
 * `data-row` show another lead in the same way.
 */
export const PREVIEW_SCRIPT = `
'use strict';
const PAUSE = 250;
const list = () => document.getElementById('list');
const sources = new WeakMap();
for (const part of list().children) sources.set(part, part.outerHTML);

async function poll() {
  try {
    const response = await fetch('version', { cache: 'no-store' });
    if (!response.ok) throw new Error(response.statusText);
    const version = await response.text();
    if (version !== document.getElementById('served').dataset.version) await show(location.href);
    document.getElementById('served').hidden = false;
    document.getElementById('ended').hidden = true;
  } catch {
    document.getElementById('served').hidden = true;
    document.getElementById('ended').hidden = false;
  }
  setTimeout(poll, PAUSE);
}
setTimeout(poll, PAUSE);

async function show(url) {
  const response = await fetch(url, { cache: 'no-store' });
  if (!response.ok) throw new Error(response.statusText);
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [place, open, checked, focus] = [placeOf(), folds(), radios(), document.activeElement?.id];
  document.title = fresh.title;
  document.querySelector('style').textContent = fresh.querySelector('style').textContent;
  document.querySelector('header').replaceWith(fresh.querySelector('header'));
  swapList(fresh);
  for (const part of [...list().parentElement.children]) if (part !== list()) part.remove();
  for (const part of [...fresh.querySelector('main').children]) if (part.id !== 'list') list().before(part);
  for (const fold of document.querySelectorAll('details')) fold.open = open.get(nameOf(fold)) ?? fold.open;
  for (const id of checked) if (document.getElementById(id)) document.getElementById(id).checked = true;
  if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  restore(place);
}

function swapList(fresh) {
  const next = [...fresh.getElementById('list').children];
  const html = next.map((part) => part.outerHTML);
  const now = [...list().children];
  if (next.length !== now.length) list().replaceChildren(...next);
  for (const [at, part] of next.entries()) {
    if (next.length === now.length && sources.get(now[at]) === html[at]) continue;
    if (next.length === now.length) now[at].replaceWith(part);
    sources.set(part, html[at]);
  }
}

// Parts that begin above what a reader looks at, the nearest one last. If an error replaces the nearest, the page returns to
// it once the error is gone, unless the reader has scrolled.
let lost = null;
function placeOf() {
  if (lost !== null && lost.scrolled === scrollY) return lost.place;
  const place = [];
  for (const part of scrollY === 0 ? [] : document.querySelectorAll('main [id]')) {
    const { top, height } = part.getBoundingClientRect();
    if (height > 0 && top < innerHeight / 3) place.push({ id: part.id, top });
  }
  return place;
}

function restore(place) {
  const known = place.findLast(({ id }) => document.getElementById(id));
  if (known) {
    const { top } = document.getElementById(known.id).getBoundingClientRect();
    scrollBy({ top: top - known.top, behavior: 'instant' });
  }
  lost = known === place.at(-1) ? null : { place, scrolled: scrollY };
}

const nameOf = (fold) => fold.querySelector('summary').textContent;
const folds = () => new Map([...document.querySelectorAll('details')].map((fold) => [nameOf(fold), fold.open]));
const radios = () => [...document.querySelectorAll('main input[type=radio]:checked')].map(({ id }) => id);

const go = (row) => {
  history.replaceState(null, '', '?row=' + encodeURIComponent(row));
  show(location.href).catch(() => undefined);
};
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[data-row]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.dataset.row);
});
document.addEventListener('change', (event) => {
  if (event.target.id === 'row') go(event.target.value);
});
`;
