import { choicesOf, fillCopy, variablesOf, wordingsOf } from './fill.js';
import { htmlToText } from './html-text.js';
import type { SampleLead } from './leads.js';

/** Mail programs on phones show about as many characters of a subject. */
export const LONG_SUBJECT = 60;

/** An email as it is written. `thread` is the subject that its thread began with; null where it begins one itself. */
export interface WrittenMail {
  subject: string;
  body: string;
  plain: boolean;
  thread: string | null;
}

/**
 * What one recipient gets. `subject`: the line that is sent; `shown`: the one above the whole thread in mail programs.
 * `length` is that of `subject` in graphemes. `html` is null where the campaign sends plain text; `text` is what
 * programs show that show no HTML, `snippet` the beginning of it on one line. `missing`: variables without a value.
 */
export interface Mail {
  subject: string;
  shown: string;
  length: number;
  html: string | null;
  text: string;
  snippet: string;
  missing: string[];
}

/** An email as this lead gets it. */
export function renderMail({ subject, body, plain, thread }: WrittenMail, lead: SampleLead): Mail {
  const { values, pick } = lead;
  const inLine = (copy: string) => oneLine(fillCopy(copy, { values, pick, write: (value) => value }));
  const filled = fillCopy(body, { values, pick, write: plain ? (value) => value : escaped });
  const text = plain ? filled.replace(/\r\n?/g, '\n').trim() : htmlToText(filled);
  const sent = thread === null ? inLine(subject) : replySubject(inLine(subject));
  return {
    subject: sent,
    shown: thread === null ? sent : inLine(thread),
    length: graphemes(sent),
    html: plain ? null : filled,
    text,
    snippet: oneLine(text).slice(0, 160),
    missing: variablesOf(subject, body).filter((name) => values[name] === undefined),
  };
}

/** What is the same for every recipient: the choices of subject and body, and how many texts they come to. */
export function choicesIn({ subject, body }: WrittenMail): { choices: string[][]; wordings: number } {
  return {
    choices: [...choicesOf(subject), ...choicesOf(body)],
    wordings: wordingsOf(subject) * wordingsOf(body),
  };
}

/** The service puts `Re: ` in front of the subject of a thread reply; a live subject has it already. */
export function replySubject(subject: string): string {
  return `Re: ${withoutReply(subject)}`;
}

/** The subject of a thread reply as it is written in a manifest. */
export function withoutReply(subject: string): string {
  return subject.replace(/^\s*re:\s*/i, '');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many characters a reader sees. */
export function graphemes(text: string): number {
  return [...segmenter.segment(text)].length;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A value is text: it does not become markup of the mail. */
function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
