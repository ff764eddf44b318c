// Functions that run in a browser's page. They are not type-checked, because Node has no DOM types.

/** The window's name, which a script in a hostile email would have changed. */
export function nameOfWindow() {
  return window.name;
}

/** In pixels. */
export function heightOfPage() {
  return document.documentElement.scrollHeight;
}

/** Expands everything and loads all frames. Returns the number of frames. */
export function unfoldAll() {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  const frames = [...document.querySelectorAll('iframe')];
  for (const frame of frames) frame.loading = 'eager';
  return frames.length;
}

/** Elements that extend beyond the window, except for those that are hidden on purpose or scroll separately. */
export function overflowing() {
  const width = document.documentElement.clientWidth;
  const wide = [...document.querySelectorAll('body *')].filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    const isOut = right > left && (right > width + 1 || left < -1);
    return isOut && element.closest('.unseen, .skip, .scroll, .inbox .line') === null;
  });
  const sideways = document.documentElement.scrollWidth > width ? ['the page'] : [];
  return [...sideways, ...wide.map(nameOf)];

  function nameOf({ tagName, className, textContent }) {
    return `${tagName}.${className} ${textContent.slice(0, 30)}`;
  }
}

/** Sibling blocks that overlap. */
export function overlapping() {
  const parents = document.querySelectorAll(
    'main, .inside, .section, .timeline, .timeline > li, .side, .looks, .forms, .leads, .email, tr, .tiles, summary, .facts, figure, .card, .week',
  );
  return [...parents].flatMap((parent) => {
    const boxes = [...parent.children]
      .filter((child) => getComputedStyle(child).position !== 'absolute')
      .map((child) => ({ child, box: child.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    return boxes.flatMap((first, at) =>
      boxes
        .slice(at + 1)
        .filter((other) => overlap(first.box, other.box))
        .map(
          (other) =>
            `${first.child.className || first.child.tagName} on ${other.child.className || other.child.tagName}`,
        ),
    );
  });

  function overlap(first, other) {
    const across = Math.min(first.right, other.right) - Math.max(first.left, other.left);
    const down = Math.min(first.bottom, other.bottom) - Math.max(first.top, other.top);
    return across > 1.5 && down > 1.5;
  }
}

/** Texts with a contrast below 4.5 against their background. */
export function faint() {
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || element.tagName === 'SCRIPT') continue;
    const [first, other] = [light(getComputedStyle(element).color), light(backgroundOf(element))];
    const contrast = (Math.max(first, other) + 0.05) / (Math.min(first, other) + 0.05);
    if (contrast < 4.5) found.add(`${element.tagName}.${element.className} ${contrast.toFixed(2)}`);
  }
  return [...found];

  function channels(colour) {
    return (colour.match(/[\d.]+/g) ?? []).map(Number);
  }

  function light(colour) {
    const [r, g, b] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function backgroundOf(element) {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor;
  }
}

/** Data that assistive technology relies on: heading levels, frame titles, ids, and broken links within the page. */
export function outline() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    language: document.documentElement.lang,
    landmarks: all('main, body > header, footer').length,
    levels: all('h1, h2, h3, h4, h5, h6').map(({ tagName }) => Number(tagName.slice(1))),
    titles: all('iframe').map(({ title }) => title),
    ids: all('[id]').map(({ id }) => id),
    broken: all('a[href^="#"]')
      .map((link) => link.getAttribute('href').slice(1))
      .filter((id) => document.getElementById(id) === null),
  };
}

/** The focused element. `isSeen`: true if its outline is visible. */
export function focused() {
  const { textContent } = document.activeElement;
  return { textContent, isSeen: getComputedStyle(document.activeElement).outlineStyle !== 'none' };
}
