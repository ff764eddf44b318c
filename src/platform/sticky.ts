import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import type { Conversation } from './conversation.js';

/** What is to stand in the one comment of this marker. */
export interface Wanted {
  /** A hidden line; the comment begins with it. */
  marker: string;
  /** The text for at most so many characters. */
  render(limit: number): string;
  /** Whether to make the comment where there is none; one that is there is brought up to date either way. */
  create: boolean;
}

/** What became of it. `none`: there was no comment, and none was to be made. */
export interface Put {
  what: 'created' | 'updated' | 'unchanged' | 'none' | 'too-large';
  url: string | null;
}

/** The room is divided by these, one after the other, while the platform finds a comment too large. */
const SHARES = [1, 2, 4, 16, 64];
/** What was written a moment ago may not be in the list yet. */
const LOOK_AFTER = 2_000;
const MOST_TRIES = 2;

/**
 * Brings the one comment of this marker to what it should say: looks for it, and creates or updates it unless it says so
 * already. Size is no failure. Failure where the platform refuses, or where nobody can tell whether it was written.
 */
export async function putComment(
  conversation: Conversation,
  { marker, render, create }: Wanted,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<Put> {
  const room = conversation.limit - marker.length - 1;
  for (const share of SHARES) {
    const body = `${marker}\n${withoutCommands(render(Math.floor(room / share)))}`;
    if (body.length > conversation.limit) continue;
    const put = await putBody(conversation, { marker, body, create, sleep });
    if (put.what !== 'too-large') return put;
  }
  return { what: 'too-large', url: null };
}

interface Body {
  marker: string;
  body: string;
  create: boolean;
  sleep: (ms: number) => Promise<unknown>;
}

/** Looks, compares, sends; where the answer is lost it does the same again, so that nothing is sent twice unseen. */
async function putBody(conversation: Conversation, { marker, body, create, sleep }: Body): Promise<Put> {
  let sent: 'created' | 'updated' | null = null;
  for (let tries = 0; ; tries += 1) {
    const found = await conversation.find(marker);
    if (found !== null && same(found.body, body)) return { what: sent ?? 'unchanged', url: found.url };
    if (found === null && !create) return { what: 'none', url: null };
    if (tries === MOST_TRIES) throw inDoubt(conversation.title);
    const written =
      found === null ? await conversation.create(body) : await conversation.update(found.id, body);
    const what = found === null ? 'created' : 'updated';
    if (written.kind === 'done') return { what, url: written.url };
    if (written.kind === 'too-large') return { what: 'too-large', url: null };
    sent = what;
    await sleep(LOOK_AFTER);
  }
}

/** Platforms cut white space at the end, and some write line ends in their own way. */
function same(live: string, desired: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(live) === plain(desired);
}

/** A line that begins with a slash is an order to GitLab (`/merge`) and to many a bot: a space in front makes it text. */
function withoutCommands(text: string): string {
  return text.replace(/^\//gm, ' /');
}

function inDoubt(title: string): Failure {
  return new Failure({
    code: 'comment-in-doubt',
    message: `The comment on ${title} was sent ${MOST_TRIES} times without an answer, and is not to be seen there.`,
    hint: 'Run this again later: it looks for the comment before it writes one. The plan file is whole.',
  });
}
