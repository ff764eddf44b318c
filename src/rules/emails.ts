import { type CopyNode, everyNode, parseCopy, withoutStyles } from '../email/copy.js';
import { decodeText, readHtml } from '../email/html.js';
import { type Link, linksInHtml, linksInText } from '../email/links.js';
import { anchor } from '../manifest/anchor.js';
import type { WrittenCampaign } from '../manifest/resolve.js';
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
  isVariant: boolean;
  isReply: boolean;
}

export type BodyForm = 'html' | 'plain';

/** `null` if an error in the settings hides it. */
export function bodyFormOf({ spec, invalid }: Pick<WrittenCampaign, 'spec' | 'invalid'>): BodyForm | null {
  const isText = spec.settings?.plain_text;
  if (isText === undefined) return invalid.has('settings') ? null : 'html';
  return isText ? 'plain' : 'html';
}

interface TextContext {
  bodyForm: BodyForm | null;
  environment: Environment;
}

export function collectEmails({ sequence }: CampaignSpec, context: TextContext): Email[] {
  return (sequence?.steps ?? []).flatMap((written, step) => {
    const first = {
      label: `step ${step + 1}`,
      path: ['sequence', 'steps', step],
      step,
      isVariant: false,
      isReply: written.thread_reply === true,
    };
    const variants = (written.variants ?? []).map((variant, index) => {
      const own = {
        label: `${first.label}, variant ${index + 1}`,
        path: [...first.path, 'variants', index],
        isVariant: true,
        isReply: variant.thread_reply ?? first.isReply,
      };
      return toEmail(variant, { ...first, ...own }, context);
    });
    return [toEmail(written, first, context), ...variants];
  });
}

function toEmail(
  written: ResolvedStep | ResolvedVariant,
  place: Pick<Email, 'label' | 'path' | 'step' | 'isVariant' | 'isReply'>,
  { bodyForm, environment }: TextContext,
): Email {
  const { label, path } = place;
  const isText = bodyForm === 'plain';
  const text = (field: 'email_subject' | 'email_body', read: (text: string) => CopyNode[]) =>
    toText({ label: `${label}, ${field}`, path: [...path, field], value: written[field] }, read, environment);
  return {
    ...place,
    written,
    subject: text('email_subject', readableText),
    body: text('email_body', isText ? readableText : readableHtml),
    links: () => (isText ? linksInText(written.email_body) : linksInHtml(written.email_body)),
  };
}

function toText(text: LabelledText, read: (text: string) => CopyNode[], environment: Environment): Text {
  const { value } = text;
  return {
    ...text,
    nodes: everyNode(parseCopy(value)),
    placeholders: once(() => findPlaceholders(withoutStyles(value), environment)),
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

/** A text before it is parsed. */
export type LabelledText = Pick<Text, 'label' | 'path' | 'value'>;

export function namesIn({ name, sequence }: CampaignSpec): LabelledText[] {
  return [
    { label: 'name', path: ['name'], value: name },
    { label: 'sequence title', path: ['sequence', 'title'], value: sequence?.title ?? '' },
  ];
}

export function settingTextsIn({ settings }: CampaignSpec): LabelledText[] {
  return TEXT_SETTINGS.map((label) => ({ label, path: ['settings', label], value: settings?.[label] ?? '' }));
}

export interface TextSpan {
  start: number;
  text: string;
}

export function spot(
  { path, value }: Pick<Text, 'path' | 'value'>,
  { start, text }: TextSpan,
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
