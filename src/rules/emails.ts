import { type CopyNode, everyNode, parseCopy } from '../email/copy.js';
import { decodeText, readHtml } from '../email/html.js';
import { type Link, linksInHtml, linksInText } from '../email/links.js';
import { anchor } from '../manifest/anchor.js';
import { withoutHidden } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import type { Path } from '../model/outputs.js';
import { TEXT_SETTINGS } from '../model/sections.js';
import type { CampaignSpec, ResolvedStep, ResolvedVariant } from '../model/spec.js';
import { findPlaceholders, type Placeholder } from './placeholders.js';

/** `path`: in the spec. `nodes`: outer nodes first. */
export interface Text {
  label: string;
  path: Path;
  value: string;
  nodes: readonly CopyNode[];
  placeholders(): readonly Placeholder[];
  readable(): readonly CopyNode[];
}

export interface Email {
  label: string;
  path: Path;
  step: number;
  subject: Text;
  body: Text;
  links(): readonly Link[];
  /** The fields that the email declares, without those that a variant inherits from its step. */
  written: { wait_in_days?: number; thread_reply?: boolean };
  reply: boolean;
}

export function collectEmails({ settings, sequence }: CampaignSpec, environment: Environment): Email[] {
  const isText = settings?.plain_text === true;
  return (sequence?.steps ?? []).flatMap((written, step) => {
    const reply = written.thread_reply === true;
    const label = `step ${step + 1}`;
    const first = { label, path: ['sequence', 'steps', step], step, reply, isText, environment };
    const variants = (written.variants ?? []).map((variant, index) =>
      toEmail(variant, {
        ...first,
        label: `${first.label}, variant ${index + 1}`,
        path: [...first.path, 'variants', index],
        reply: variant.thread_reply ?? reply,
      }),
    );
    return [toEmail(written, first), ...variants];
  });
}

function toEmail(
  written: ResolvedStep | ResolvedVariant,
  email: Pick<Email, 'label' | 'path' | 'step' | 'reply'> & { isText: boolean; environment: Environment },
): Email {
  const { label, path, step, reply, isText, environment } = email;
  const text = (field: 'email_subject' | 'email_body', read: (text: string) => CopyNode[]) =>
    toText({ label: `${label}, ${field}`, path: [...path, field], value: written[field] }, read, environment);
  return {
    label,
    path,
    step,
    reply,
    written,
    subject: text('email_subject', readableText),
    body: text('email_body', isText ? readableText : readableHtml),
    links: () => (isText ? linksInText(written.email_body) : linksInHtml(written.email_body)),
  };
}

function toText(text: OtherText, read: (text: string) => CopyNode[], environment: Environment): Text {
  const { value } = text;
  return {
    ...text,
    nodes: everyNode(parseCopy(value)),
    placeholders: once(() => findPlaceholders(value, environment)),
    readable: () => read(value),
  };
}

/** The texts that recipients read: those of the emails and of the settings. */
export function collectTexts(spec: CampaignSpec, emails: readonly Email[], environment: Environment): Text[] {
  const others = settingTextsIn(spec).map((text) => toText(text, readableText, environment));
  return [...others, ...emails.flatMap(({ subject, body }) => [subject, body])];
}

function once<Value>(compute: () => Value): () => Value {
  let result: { value: Value } | null = null;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}

/** A text outside the emails. */
export type OtherText = Pick<Text, 'label' | 'path' | 'value'>;

export function namesIn({ name, sequence }: CampaignSpec): OtherText[] {
  return [
    { label: 'name', path: ['name'], value: name },
    { label: 'sequence title', path: ['sequence', 'title'], value: sequence?.title ?? '' },
  ];
}

export function settingTextsIn({ settings }: CampaignSpec): OtherText[] {
  return TEXT_SETTINGS.map((label) => ({ label, path: ['settings', label], value: settings?.[label] ?? '' }));
}

interface TextSpan {
  start: number;
  text: string;
}

export function spot(
  { path, value }: Pick<Text, 'path' | 'value'>,
  { start, text }: { start: number; text: string },
): { path: Path; text: string } {
  return { path, text: anchor(value, start, text) };
}

export function overlaps(one: TextSpan, other: TextSpan): boolean {
  return one.start < other.start + other.text.length && other.start < one.start + one.text.length;
}

export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** Normalises case, width, white space and apostrophes, and removes invisible characters. */
export function foldedText(text: string): string {
  const same = withoutHidden(text.normalize('NFKC').toLowerCase());
  return same.replace(/\s+/g, ' ').replace(/[‘’]/g, "'");
}

const INLINE = /^(?:a|abbr|b|big|code|em|font|i|mark|s|small|span|strike|strong|sub|sup|tt|u|wbr)$/;

export function readableText(text: string): CopyNode[] {
  return spelled(parseCopy(text), foldedText);
}

/** The copy in HTML, without tags, but with the alternative text of images. */
export function readableHtml(html: string): CopyNode[] {
  const pieces = readHtml(html).map((token) => {
    if (token.kind === 'text') return token.source;
    if (token.name === 'img') return ` ${token.attributes.find(({ name }) => name === 'alt')?.source ?? ''} `;
    return INLINE.test(token.name) ? '' : ' ';
  });
  return spelled(parseCopy(pieces.join('')), (text) => foldedText(decodeText(text)));
}

/** Character references are decoded last, because an encoded brace is not part of the syntax. */
function spelled(nodes: readonly CopyNode[], spell: (text: string) => string): CopyNode[] {
  return nodes.map((node) => {
    if (node.kind === 'spintax')
      return { ...node, choices: node.choices.map((choice) => spelled(choice, spell)) };
    if (node.kind === 'braces') return { ...node, content: spelled(node.content, spell) };
    return { ...node, text: spell(node.text) };
  });
}
