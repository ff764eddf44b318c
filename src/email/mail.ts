/** Renders an email as a lead receives it and as mail programs show it. Accepts any copy and HTML in linear time. */

import { withoutReplyPrefix } from '../model/canonical.js';
import type { ContentSequence } from '../model/outputs.js';
import { emailTexts, type PreviewedCampaign } from '../model/preview.js';
import { type CopyNode, everyNode, parseCopy } from './copy.js';
import { htmlToText } from './html-text.js';
import { type Link, linksInHtml, linksInText } from './links.js';
import type { SampleLead } from './sample-leads.js';

export const LONG_SUBJECT = 60;

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
