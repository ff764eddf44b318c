/** One comment, as its platform shows it. `url` is null where the platform does not tell it. */
export interface Comment {
  id: number;
  body: string;
  url: string | null;
}

/** What came of writing a comment. `in-doubt`: it may have been written, and only a look can tell. */
export type Written =
  | { kind: 'done'; url: string | null }
  | { kind: 'in-doubt'; reason: string }
  | { kind: 'too-large' };

/** The comments of one pull or merge request. Everything here throws a Failure where the platform says no. */
export interface Conversation {
  /** To be named in a sentence: `pull request 12 of acme/mailings`. */
  title: string;
  /** Characters that a comment holds. */
  limit: number;
  /** Our own comment that begins with the marker, the oldest if there are several. Nobody else's is ever given. */
  find(marker: string): Promise<Comment | null>;
  create(body: string): Promise<Written>;
  update(id: number, body: string): Promise<Written>;
  close(): Promise<void>;
}

/** What a conversation needs to be opened. `number` is that of the pull or merge request. */
export interface Place {
  api: string;
  project: string;
  number: number;
}
