import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';

interface Comment {
  id: number;
  body: string;
  url: string | null;
}

/** The comments on one pull or merge request. Methods throw a Failure if the platform refuses a request. */
export interface Conversation {
  /** Its name in messages, such as `pull request 12 of acme/mailings`. */
  title: string;
  /** Finds the oldest comment by this account that begins with the marker. */
  find(marker: string): Promise<Comment | null>;
  /** Returns `null` if there was no response; the comment may have been written. */
  create(body: string): Promise<Written | null>;
  update(id: number, body: string): Promise<Written | null>;
  close(): Promise<void>;
}

export type Written = Pick<Comment, 'url'>;

interface WantedComment {
  marker: string;
  render(limit: number): string;
  create: boolean;
}

/** `none`: there was no comment, and none was to be created. */
export interface CommentResult {
  kind: 'created' | 'updated' | 'unchanged' | 'none';
  url: string | null;
}

/** Maximum number of characters on GitHub. GitLab accepts more, but proxies in front of it may not. */
const LIMIT = 65_536;
/** Milliseconds after which the list should show a new comment. */
const LOOK_AFTER = 2_000;
const MAX_TRIES = 2;

/**
 * Creates or updates the comment with this marker, unless it is up to date. If a response is lost, looks for the comment
 * before sending it again. Fails if the comment is refused or cannot be confirmed.
 */
export async function putComment(
  conversation: Conversation,
  { marker, render, create }: WantedComment,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<CommentResult> {
  // GitLab and bots execute lines that begin with a slash.
  const text = render(LIMIT - marker.length - 1).replace(/^\//gm, ' /');
  const body = `${marker}\n${text}`.slice(0, LIMIT);
  let sent: 'created' | 'updated' | null = null;
  for (let tries = 0; ; tries += 1) {
    const comment = await conversation.find(marker);
    if (comment !== null && isSame(comment.body, body))
      return { kind: sent ?? 'unchanged', url: comment.url };
    if (comment === null && !create) return { kind: 'none', url: null };
    if (tries === MAX_TRIES)
      throw new Failure({
        code: 'comment-in-doubt',
        message: `The comment on ${conversation.title} was sent ${MAX_TRIES} times without a response, and the platform does not show it.`,
        hint: 'The plan file is complete. Run this command again later: it looks for the comment before it writes one.',
      });
    const written =
      comment === null ? await conversation.create(body) : await conversation.update(comment.id, body);
    sent = comment === null ? 'created' : 'updated';
    if (written !== null) return { kind: sent, url: written.url };
    await sleep(LOOK_AFTER);
  }
}

/** Platforms trim white space and change line endings. */
function isSame(live: string, desired: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(live) === plain(desired);
}
