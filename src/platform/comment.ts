import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import type { ApiWrite } from './api.js';

/** One comment, as its platform shows it. `url` is null where the platform does not tell it. */
interface Comment {
  id: number;
  body: string;
  url: string | null;
}

/** The comments of one pull or merge request. Everything here throws a Failure where the platform says no. */
export interface Conversation {
  /** To be named in a sentence: `pull request 12 of acme/mailings`. */
  title: string;
  /** Characters that a comment holds. */
  limit: number;
  /** Our own comment that begins with the marker, the oldest if there are several. Never one of another author. */
  find(marker: string): Promise<Comment | null>;
  /** Both answer with the address of the comment. */
  create(body: string): Promise<ApiWrite<Comment['url']>>;
  update(id: number, body: string): Promise<ApiWrite<Comment['url']>>;
  close(): Promise<void>;
}

/** What is to stand in the one comment of this marker. */
interface WantedComment {
  /** A hidden line; the comment begins with it. */
  marker: string;
  /** The text for at most so many characters. */
  render(limit: number): string;
  /** Whether to make the comment where there is none; one that is there is brought up to date either way. */
  create: boolean;
}

/** What became of it. `none`: there was no comment, and none was to be made. */
export interface CommentResult {
  what: 'created' | 'updated' | 'unchanged' | 'none' | 'too-large';
  url: string | null;
}

type Sleep = (ms: number) => Promise<unknown>;

/** The room is divided by these, one after the other, while the platform finds a comment too large. */
const SHARES = [1, 2, 4, 16, 64];
/** What was written a moment ago may not be in the list yet. */
const LOOK_AFTER = 2_000;
const MOST_TRIES = 2;

/**
 * Brings the one comment of this marker to what it should say: looks for it, and creates or updates it unless it says so
 * already. Size is no failure. Failure where the platform refuses, or does not show whether it was written.
 */
export async function putComment(
  conversation: Conversation,
  wanted: WantedComment,
  sleep: Sleep = wait,
): Promise<CommentResult> {
  const { marker, render, create } = wanted;
  const room = conversation.limit - marker.length - 1;
  for (const share of SHARES) {
    // A line that begins with a slash is an order to GitLab (`/merge`) and to many a bot: a space in front makes it text.
    const text = render(Math.floor(room / share)).replace(/^\//gm, ' /');
    const body = `${marker}\n${text}`;
    if (body.length > conversation.limit) continue;
    const result = await putBody(conversation, { marker, body, create }, sleep);
    if (result.what !== 'too-large') return result;
  }
  return { what: 'too-large', url: null };
}

/** Looks, compares, sends; where the answer is lost it does the same again, so that nothing is sent twice unseen. */
async function putBody(
  conversation: Conversation,
  { marker, body, create }: { marker: string; body: string; create: boolean },
  sleep: Sleep,
): Promise<CommentResult> {
  let sent: 'created' | 'updated' | null = null;
  for (let tries = 0; ; tries += 1) {
    const found = await conversation.find(marker);
    if (found !== null && isSame(found.body, body)) return { what: sent ?? 'unchanged', url: found.url };
    if (found === null && !create) return { what: 'none', url: null };
    if (tries === MOST_TRIES)
      throw new Failure({
        code: 'comment-in-doubt',
        message: `The comment on ${conversation.title} was sent ${MOST_TRIES} times without an answer, and the platform does not show it.`,
        hint: 'Run this again later: campaignctl looks for the comment before it writes one. The plan file is complete.',
      });
    const written =
      found === null ? await conversation.create(body) : await conversation.update(found.id, body);
    const what = found === null ? 'created' : 'updated';
    if (written.kind === 'done') return { what, url: written.answer };
    if (written.kind === 'too-large') return { what: 'too-large', url: null };
    sent = what;
    await sleep(LOOK_AFTER);
  }
}

/** Platforms cut white space at the end, and some write line ends in their own way. */
function isSame(live: string, desired: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(live) === plain(desired);
}
