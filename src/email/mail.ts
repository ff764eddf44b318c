/** Renders an email as a lead receives it and as mail programs show it. Accepts any copy and HTML in linear time. */

import { withoutReplyPrefix } from '../model/canonical.js';
import type { ContentSequence } from '../model/outputs.js';
import { emailTexts, type PreviewedCampaign } from '../model/preview.js';
import { type CopyNode, everyNode, parseCopy } from './copy.js';
import { attributeValue, decodeText, type HtmlTag, readHtml } from './html.js';
import { type Link, linksInHtml, linksInText } from './links.js';

export const LONG_SUBJECT = 60;

/** `values`: by variable. `pick`: which spintax choices to use; the service chooses at random. */
export interface SampleLead {
  label: string;
  values: { readonly [variable: string]: string };
  pick: 'first' | 'longest';
}

/** `isReply`: true if it replies in the thread of an earlier email. `declared`: variables of the environment. */
export interface WrittenMail {
  declared?: readonly string[];
  subject: string;
  body: string;
  plain: boolean;
  isReply: boolean;
}

/**
 * `subject`: as sent. `length`: of `subject`, in graphemes. `html`: `null` for plain text. `words`: of the body, without
 * addresses. `missing`: variables without a value.
 */
export interface Mail {
  subject: string;
  length: number;
  html: string | null;
  text: string;
  snippet: string;
  words: number;
  missing: string[];
}

export function renderMail({ subject, body, plain, isReply, declared }: WrittenMail, lead: SampleLead): Mail {
  const inLine = (copy: string) => oneLine(filled(parseCopy(copy, declared), lead));
  const content = filled(parseCopy(body, declared), lead, plain ? undefined : escaped);
  const text = plain ? content.replace(/\r\n?/g, '\n').trim() : htmlToText(content);
  const sent = isReply ? replySubject(inLine(subject)) : inLine(subject);
  return {
    subject: sent,
    length: [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(sent)].length,
    html: plain ? null : content,
    text,
    snippet: oneLine(text).slice(0, 160),
    words: countWords(text),
    missing: variableNames([subject, body], declared).filter((name) => lead.values[name] === undefined),
  };
}

function countWords(text: string): number {
  const words = new Intl.Segmenter('en', { granularity: 'word' });
  const written = text.replace(/\b(?:https?:|mailto:|tel:|www\.)[^\s)]+/gi, '');
  return [...words.segment(written)].filter(({ isWordLike }) => isWordLike).length;
}

/** The links of an email as sent, and the images that it fetches. */
export function linksOf({ html, text }: Pick<Mail, 'html' | 'text'>): Link[] {
  return html === null ? linksInText(text) : linksInHtml(html);
}

/**
 * The same email with the name of each variable without a value in its place, between two `mark` characters, which are
 * nowhere else in it. `null` if nothing is missing.
 */
export function renderGaps(
  written: WrittenMail,
  lead: SampleLead,
  { missing }: Pick<Mail, 'missing'>,
): { mail: Mail; mark: string } | null {
  if (missing.length === 0) return null;
  const texts = [written.subject, written.body, ...Object.values(lead.values)].join('');
  const mark = NONCHARACTERS.find((character) => !texts.includes(character));
  if (mark === undefined) return null;
  const gaps = missing.map((name) => [name, `${mark}${name}${mark}`]);
  const values = { ...lead.values, ...Object.fromEntries(gaps) };
  return { mail: renderMail(written, { ...lead, values }), mark };
}

/** Characters that no text should contain. */
const NONCHARACTERS = Array.from({ length: 32 }, (_, at) => String.fromCharCode(0xfdd0 + at));

/** For replies in a thread, the service adds `Re: ` to the subject. Live subjects already have it. */
export function replySubject(subject: string): string {
  return `Re: ${withoutReplyPrefix(subject)}`;
}

/** The variables of all emails. */
export function variablesOf(campaigns: readonly PreviewedCampaign[]): string[] {
  return [
    ...new Set(campaigns.flatMap((campaign) => variableNames(emailTexts(campaign), campaign.variables))),
  ];
}

export function variableNames(copies: readonly string[], declared: readonly string[] = []): string[] {
  const names = copies.flatMap((copy) =>
    everyNode(parseCopy(copy, declared)).flatMap((node) => (node.kind === 'variable' ? [node.name] : [])),
  );
  return [...new Set(names)];
}

/** The earliest day on which each step can be sent; the first is sent on day 1. */
export function earliestDays({ steps }: Pick<ContentSequence, 'steps'>): number[] {
  let day = 1;
  return steps.map(({ wait_in_days }) => {
    const earliest = day;
    day += wait_in_days;
    return earliest;
  });
}

function filled(nodes: readonly CopyNode[], lead: SampleLead, write = (value: string) => value): string {
  const fill = (node: CopyNode): string => {
    if (node.kind === 'variable') return write(lead.values[node.name] ?? '');
    if (node.kind === 'braces') return `{${filled(node.content, lead, write)}}`;
    if (node.kind !== 'spintax') return node.text;
    const choices = node.choices.map((choice) => filled(choice, lead, write));
    return picked(choices, lead.pick);
  };
  return nodes.map(fill).join('');
}

function picked(choices: readonly string[], pick: SampleLead['pick']): string {
  const [first = ''] = choices;
  if (pick === 'first') return first;
  return choices.reduce((longest, choice) => (choice.length > longest.length ? choice : longest), first);
}

/** Collapses only HTML white space, so that other separators can be marked. */
function oneLine(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const LINES = new Set('address article body center dd div dt footer header li main section tr'.split(' '));
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 blockquote ul ol table pre hr'.split(' '));

type TextPiece = { words: string } | { exact: string } | { lines: 1 | 2 } | 'line break';

/** Open elements. `lists`: for each list, its next number, or `null` for bullets. */
interface Open {
  lists: (number | null)[];
  link: { href: string; from: number } | null;
  kept: number;
}

export function htmlToText(html: string): string {
  const open: Open = { lists: [], link: null, kept: 0 };
  const pieces: TextPiece[] = [];
  for (const tag of readHtml(html)) {
    if (tag.kind === 'text') {
      const text = decodeText(tag.source);
      pieces.push(open.kept > 0 ? { exact: text } : { words: text });
    } else if (tag.kind === 'open') {
      pieces.push(...lineBreaks(tag.name, open));
      pieces.push(...opened(tag, open, pieces.length));
    } else pieces.push(...closed(tag.name, open, pieces), ...lineBreaks(tag.name, open));
  }
  return joined(pieces);
}

function lineBreaks(name: string, { lists }: Open): TextPiece[] {
  if (LINES.has(name)) return [{ lines: 1 }];
  if (!PARAGRAPHS.has(name)) return [];
  return [{ lines: lists.length > 0 && /^[ou]l$/.test(name) ? 1 : 2 }];
}

function opened(tag: HtmlTag, open: Open, at: number): TextPiece[] {
  const { name } = tag;
  if (name === 'ul' || name === 'ol') open.lists.push(name === 'ol' ? 1 : null);
  if (name === 'pre') open.kept += 1;
  if (name === 'a') open.link = { href: (attributeValue(tag, 'href') ?? '').trim(), from: at };
  if (name === 'br') return ['line break'];
  if (name === 'hr') return [{ exact: '----------' }];
  if (name === 'li') return [{ exact: bullet(open) }];
  if (name === 'td' || name === 'th') return [{ words: ' ' }];
  return name === 'img' ? [{ words: bracketed(attributeValue(tag, 'alt') ?? '') }] : [];
}

function closed(name: string, open: Open, pieces: readonly TextPiece[]): TextPiece[] {
  if (name === 'ul' || name === 'ol') open.lists.pop();
  if (name === 'pre') open.kept = Math.max(0, open.kept - 1);
  if (name !== 'a' || open.link === null) return [];
  const { href, from } = open.link;
  open.link = null;
  return linkAddress(href, joined(pieces.slice(from)));
}

function linkAddress(href: string, text: string): TextPiece[] {
  const plain = (address: string) => address.trim().replace(/^(?:mailto:|tel:|https?:\/\/)|\/$/gi, '');
  if (href === '' || href.startsWith('#') || plain(href) === plain(text)) return [];
  return [{ words: text.trim() === '' ? href : ` (${href})` }];
}

function bracketed(alt: string): string {
  return alt.trim() === '' ? '' : `[${alt.trim()}]`;
}

function bullet({ lists }: Open): string {
  const number = lists.at(-1) ?? null;
  if (number !== null) lists[lists.length - 1] = number + 1;
  const indent = '  '.repeat(Math.max(0, Math.min(lists.length, 8) - 1));
  return `${indent}${number === null ? '-' : `${number}.`} `;
}

function joined(pieces: readonly TextPiece[]): string {
  const parts: string[] = [];
  let lines = 0;
  let breaks = 0;
  let space = false;
  const put = (text: string): void => {
    const ends = parts.length === 0 ? 0 : Math.min(2, Math.max(lines, breaks));
    const gap = space && ends === 0 && parts.length > 0 && parts.at(-1)?.endsWith(' ') === false;
    parts.push(ends > 0 ? '\n'.repeat(ends) : gap ? ' ' : '', text);
    lines = 0;
    breaks = 0;
    space = false;
  };
  for (const piece of pieces) {
    if (piece === 'line break') breaks += 1;
    else if ('lines' in piece) lines = Math.max(lines, piece.lines);
    else if ('exact' in piece) put(piece.exact);
    else {
      const words = piece.words.replace(/[ \t\r\n\f]+/g, ' ');
      space ||= words.startsWith(' ');
      if (words === '' || words === ' ') continue;
      put(words.replace(/^ | $/g, ''));
      space = words.endsWith(' ');
    }
  }
  const text = parts
    .join('')
    .replace(/[\u00a0\u2002\u2003]/g, ' ')
    .replace(/[\u00ad\u200b\u200c]/g, '');
  return text.replace(/ +$/gm, '').trimEnd();
}

const USUAL: readonly [name: RegExp, ordinary: string, longest: string][] = [
  [/^(?:FIRST|GIVEN).?NAME$/, 'Anna', 'Maximiliane-Theodora'],
  [/^(?:LAST|FAMILY|SUR).?NAME$/, 'Berg', 'Featherstonehaugh-Cholmondeley'],
  [/^(?:FULL.?)?NAME$/, 'Anna Berg', 'Maximiliane-Theodora Featherstonehaugh-Cholmondeley'],
  [/MAIL/, 'anna.berg@example.com', 'maximiliane-theodora.featherstonehaugh@subsidiary.example.com'],
  [
    /WEB|URL|SITE|DOMAIN|LINK/,
    'www.example.com',
    'www.northern-counties-installation-and-maintenance.example.com',
  ],
  [
    /COMPANY|ORGANI[SZ]ATION|BUSINESS/,
    'Northlight Studio',
    'Northern Counties Installation & Maintenance Partnership Limited',
  ],
  [/CITY|TOWN/, 'Bristol', 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'],
  [/COUNTRY/, 'France', 'United Kingdom of Great Britain and Northern Ireland'],
  [/TITLE|POSITION|ROLE/, 'Office manager', 'Deputy Regional Director of Facilities and Maintenance'],
  [/PHONE|MOBILE/, '020 7946 0000', '+44 (0)20 7946 0000 ext. 12345'],
];

export function sampleLeads(variables: readonly string[]): SampleLead[] {
  const values = (long: boolean) =>
    Object.fromEntries(variables.map((name) => [name, sampleValue(name, long)]));
  return [
    { label: 'An ordinary lead', values: values(false), pick: 'first' },
    { label: 'A lead with long values', values: values(true), pick: 'longest' },
    { label: 'A lead with missing values', values: {}, pick: 'first' },
  ];
}

function sampleValue(variable: string, long: boolean): string {
  const known = USUAL.find(([name]) => name.test(variable));
  if (known !== undefined) return long ? known[2] : known[1];
  const words = variable.replaceAll('_', ' ').toLowerCase();
  return long ? `${words}, written out at unusual length to show how it wraps` : words;
}
