// Creates the README's pictures with the real program: docs/pictures/{email,plan,comment,page}-{light,dark}. Plans a change to a
// client of examples/agency in the sandbox. Draws the terminal as SVG, and takes screenshots of the comment and the page in
// Chromium. `campaignctl comment` posts the comment to a local server.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(root, 'dist/campaignctl.cjs');
const PICTURES = join(root, 'docs/pictures');
/** Maximum size in bytes, because the README is also read on phones. */
const MAX_SIZE = 100_000;
/** Narrow enough to read on a phone: the terminal in columns, the comment and the page in pixels. */
const COLUMNS = 58;
const WIDTH = 480;
/** The two emails stand beside each other. */
const WIDE = 720;
const MAX_LINES = 60;

/** Edits before the first apply, which EDITS later reverses in part. */
const BEFORE = [
  ['spring-uk.yaml', 'status: paused', 'status: running'],
  ['spring-fr.yaml', 'lists: [installers-fr]', 'lists: []'],
];

/** The pull request's changes: a launch with its leads, a cap, and a replaced campaign with a word changed in an email. */
const EDITS = [
  ['spring-fr.yaml', 'lists: []', 'lists: [installers-fr]'],
  ['spring-fr.yaml', 'status: paused', 'status: running'],
  ['fair.yaml', 'max_emails_per_day: 200', 'max_emails_per_day: 240'],
  [
    'spring-uk.yaml',
    'name: Brightmoor · Spring UK',
    'name: Brightmoor · Spring UK v2\nreplaces: Brightmoor · Spring UK',
  ],
  ['spring-uk.yaml', 'fits into an envelope', 'fits into a letter box'],
];

/** Where the pictures of the page begin: the launches, and the email that changes. */
const LAUNCHES = '#launch-table';
const CHANGED = 'details.email:has(.pair)';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (browserPath === undefined) {
  console.error('No Chromium here: the pictures stay as they are.');
  process.exit(1);
}

const ENV = { PATH: process.env.PATH, HOME: tmpdir(), SOURCE_DATE_EPOCH: '1772431200', TZ: 'UTC' };

async function campaignctl(line, env = {}) {
  const run = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
    cwd: join(folder, 'clients/brightmoor'),
    env: { ...ENV, COLUMNS: String(COLUMNS), ...env },
  });
  const [out, err, status] = await Promise.all([
    text(run.stdout),
    text(run.stderr),
    new Promise((resolve) => run.on('close', resolve)),
  ]);
  if (status !== 0) throw new Error(`campaignctl ${line} ended with ${status}:\n${out}${err}`);
  return out;
}

/** Returns the comment as GitHub would receive it. */
async function commentOn(file) {
  let comment = '';
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') comment = JSON.parse(await text(request)).body;
    const answer = request.method === 'POST' ? { id: 1, html_url: null } : [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await campaignctl(`comment ${file} --platform github --number 12`, {
    GITHUB_API_URL: `http://127.0.0.1:${server.address().port}`,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'your-organisation/campaigns',
    GITHUB_RUN_ID: '1',
    GITHUB_TOKEN: 'the-token-of-a-picture',
  });
  server.close();
  return comment;
}

/** Commits the project, so that the plan names a commit. */
function commit() {
  const at = { GIT_AUTHOR_DATE: '1772431200 +0000', GIT_COMMITTER_DATE: '1772431200 +0000' };
  const who = ['-c', 'user.name=Jo', '-c', 'user.email=jo@example.com'];
  for (const line of [
    ['add', '.'],
    [...who, 'commit', '-qm', 'Launch in London'],
  ])
    execFileSync('git', line, { cwd: folder, env: { ...ENV, ...at } });
}

function edit(file, from, to) {
  const path = join(folder, 'clients/brightmoor/campaigns', file);
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} does not hold ${from}.`);
  writeFileSync(path, changed);
}

function keep(name, content) {
  const path = join(PICTURES, name);
  writeFileSync(path, content);
  const { size } = statSync(path);
  console.log(`${name}  ${Math.ceil(size / 1000)} kB`);
  if (size > MAX_SIZE) throw new Error(`${name} is larger than ${MAX_SIZE / 1000} kB.`);
}

/**
 * Starts at the element `from`. `height`: `null` for that of the element. Uses WebP, which is half the size of PNG, and twice the pixels, for high-resolution
 * screens.
 */
async function photograph(file, colorScheme, { width, height, from }) {
  const viewport = { width, height: height ?? 1080 };
  const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 2 });
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(`for (const fold of document.querySelectorAll('${CHANGED} details')) fold.open = true`);
  const whole = await page.evaluate('document.documentElement.scrollHeight');
  // Emails load only when they are visible.
  await page.setViewportSize({ width, height: whole });
  await page.waitForTimeout(1000);
  const box = await page.locator(from).first().boundingBox();
  const top = box.y - 12;
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: top, width, height: Math.min(whole - top, height ?? box.height + 24), scale: 1 };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75, clip });
  await page.close();
  return Buffer.from(data, 'base64');
}

/** Renders Markdown as GitHub does, as far as this comment needs it. */
function asComment(markdown) {
  const body = micromark(markdown.replace(/<!--.*?-->\n?/g, ''), {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const coloured = body.replace(/<code class="language-diff">([\s\S]*?)<\/code>/g, (_, lines) => {
    const marked = lines.replace(
      /^([-+]).*$/gm,
      (line, sign) => `<span class="${sign === '+' ? 'add' : 'del'}">${line}</span>`,
    );
    return `<code>${marked}</code>`;
  });
  const alerted = coloured.replace(
    /<blockquote>\n<p>\[!(\w+)\]\n/g,
    (_, kind) => `<blockquote class="${kind}"><p><b>${kind[0]}${kind.slice(1).toLowerCase()}</b></p>\n<p>`,
  );
  return `<!doctype html><meta charset="utf-8"><style>${COMMENT_STYLE}</style>
<article><header><b>github-actions</b> <i>bot</i> commented</header><div>${alerted}</div></article>`;
}

const COMMENT_STYLE = `
:root { --text: #1f2328; --muted: #59636e; --back: #fff; --head: #f6f8fa; --line: #d1d9e0; --add: #dafbe1; --del: #ffebe9; --link: #0969da }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f6fc; --muted: #9198a1; --back: #0d1117; --head: #151b23; --line: #3d444d; --add: #12261e; --del: #25171c; --link: #4493f8 }
}
body { margin: 0; padding: 12px; background: var(--back); color: var(--text); font: 14px/1.5 "Liberation Sans", Arial, sans-serif }
article { border: 1px solid var(--line); border-radius: 6px }
header { padding: 8px 16px; background: var(--head); border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0; color: var(--muted) }
header b { color: var(--text) } header i { font-style: normal; font-size: 12px; border: 1px solid var(--line); border-radius: 1em; padding: 0 6px }
div { padding: 0 16px 4px } a { color: var(--link); text-decoration: none }
h1, h2, h3, h4 { margin: 16px 0; line-height: 1.25 } h3 { font-size: 1.25em } h4 { font-size: 1em }
table { border-collapse: collapse; margin-bottom: 16px } th, td { border: 1px solid var(--line); padding: 6px 13px } tr:nth-child(2n) td { background: var(--head) }
code, pre { font: 85% "Liberation Mono", monospace; background: var(--head); border-radius: 6px } code { padding: .2em .4em }
pre { padding: 12px; overflow: hidden } pre code { padding: 0; font-size: 100% } .add, .del { display: inline-block; width: 100% } .add { background: var(--add) } .del { background: var(--del) }
blockquote { margin: 0 0 16px; padding: 0 1em; border-left: .25em solid var(--line); color: var(--muted) }
blockquote.CAUTION { border-color: #cf222e; color: var(--text) } blockquote.WARNING { border-color: #9a6700; color: var(--text) } blockquote.IMPORTANT { border-color: #8250df; color: var(--text) } blockquote.NOTE { border-color: #0969da; color: var(--text) } details { margin-bottom: 12px } ul { padding-left: 2em }`;

const THEMES = {
  light: {
    back: '#ffffff',
    line: '#d1d9e0',
    text: '#1f2328',
    31: '#cf222e',
    32: '#1a7f37',
    33: '#9a6700',
    35: '#8250df',
    36: '#1b7c83',
  },
  dark: {
    back: '#0d1117',
    line: '#3d444d',
    text: '#e6edf3',
    31: '#ff7b72',
    32: '#3fb950',
    33: '#d29922',
    35: '#bc8cff',
    36: '#39c5cf',
  },
};

/** Draws each run of one colour as a separate text with a fixed width, so that columns align in any font. */
function asTerminal(output, name) {
  const theme = THEMES[name];
  const [ch, row, pad] = [8, 18, 16];
  const lines = ['$ campaignctl plan', ...output.trimEnd().split('\n')];
  const texts = lines.flatMap((line, at) =>
    runs(line).map(({ text, x, colour, bold, dim }) => {
      const style = `${colour ? ` fill="${theme[colour]}"` : ''}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity=".6"' : ''}`;
      return `<text x="${pad + x * ch}" y="${pad + 13 + at * row}" textLength="${text.length * ch}"${style}>${escaped(text)}</text>`;
    }),
  );
  const columns = Math.max(...lines.flatMap((line) => runs(line).map(({ x, text }) => x + text.length)));
  const [width, height] = [columns * ch + 2 * pad, lines.length * row + 2 * pad];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The output of campaignctl plan">
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.back}" stroke="${theme.line}"/>
<g font-family="ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace" font-size="13.3" fill="${theme.text}" >
${texts.join('\n')}
</g>
</svg>
`;
}

/** Splits a line where its style changes, and trims each run. `x`: in columns. */
function runs(line) {
  const state = { colour: null, bold: false, dim: false };
  let x = 0;
  return line.split(/(\u001b\[\d+m)/).flatMap((part, at) => {
    if (at % 2 === 1) {
      const code = Number(part.slice(2, -1));
      if (code === 1) state.bold = true;
      else if (code === 2) state.dim = true;
      else if (code === 22) Object.assign(state, { bold: false, dim: false });
      else state.colour = code === 39 || code === 0 ? null : code;
      return [];
    }
    const start = x + part.length - part.trimStart().length;
    x += part.length;
    return part.trim() === '' ? [] : [{ text: part.trim(), x: start, ...state }];
  });
}

/** Uses no-break spaces, because SVG collapses repeated spaces. */
function escaped(text) {
  const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ' ': '\u00a0' };
  return text.replace(/[&<> ]/g, (character) => named[character]);
}

const folder = mkdtempSync(join(tmpdir(), 'campaignctl-pictures-'));
const outside = mkdtempSync(join(tmpdir(), 'campaignctl-pictures-'));
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  cpSync(join(root, 'examples/agency'), folder, { recursive: true });
  writeFileSync(join(folder, '.gitignore'), '.campaignctl/\n');
  // Shared folders need a repository.
  execFileSync('git', ['init', '-q'], { cwd: folder, env: ENV });
  for (const [file, from, to] of BEFORE) edit(file, from, to);
  await campaignctl('apply --yes --allow launch');
  for (const [file, from, to] of EDITS) edit(file, from, to);
  commit();
  mkdirSync(PICTURES, { recursive: true });
  const saved = join(outside, 'plan.json');
  await campaignctl(`plan --out ${saved}`);
  const plan = await campaignctl('plan campaigns/spring-fr.yaml', {
    FORCE_COLOR: '1',
  });
  const lines = plan.trimEnd().split('\n').length;
  if (lines > MAX_LINES)
    throw new Error(`The plan of the README takes ${lines} lines, more than ${MAX_LINES}.`);
  const comment = asComment(await commentOn(saved));
  const page = join(outside, 'page.html');
  writeFileSync(page, await campaignctl(`show ${saved} --format html`));
  for (const theme of ['light', 'dark']) {
    keep(`plan-${theme}.svg`, asTerminal(plan, theme));
    const file = join(outside, 'comment.html');
    writeFileSync(file, comment);
    keep(
      `comment-${theme}.webp`,
      await photograph(file, theme, { width: WIDTH, height: 1080, from: 'article' }),
    );
    keep(`page-${theme}.webp`, await photograph(page, theme, { width: WIDTH, height: 1080, from: LAUNCHES }));
    const email = { width: WIDE, height: null, from: CHANGED };
    keep(`email-${theme}.webp`, await photograph(page, theme, email));
  }
} finally {
  await browser.close();
  for (const path of [folder, outside]) rmSync(path, { recursive: true, force: true });
}
