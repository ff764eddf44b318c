/** What the reports let the reader choose. The library's declarations contain this file, and not those of the renderers. */
import type { TextOptions } from './terminal.js';

/** Flags that select the project of a manifest: "--env production". */
export type PlaceOf = (manifest: string) => string;

/** Adds the project of these manifests to the commands of a text. */
export type PlaceText = (text: string, manifests: readonly string[]) => string;

/** The path of a file of the projects of these manifests, from where the reader is. */
export type PlaceFile = (file: string, manifests: readonly string[]) => string;

/** Address of a manifest; `null` if it has none. */
export type LinkTo = (manifest: string) => string | null;

/** `about`: commit, author, times. `saved`: the file of the plan. */
export interface PlanDocumentOptions {
  placeOf?: PlaceOf;
  about?: readonly string[];
  saved?: string | null;
}

/** `full`: shortens nothing. `before`: what follows the report: a question that repeats its summary, or the apply itself. */
export interface DocumentTextOptions extends TextOptions {
  full?: boolean;
  before?: 'question' | 'apply' | null;
}

/** `place`: flags that select the project. `saved`: the file of the plan. */
export interface PlanTextOptions extends DocumentTextOptions {
  place?: string;
  saved?: string | null;
}

/** `next`: replaces the commands that apply the plan. `page`: address of the report as a page. */
export interface DocumentMarkdownOptions {
  linkTo?: LinkTo;
  next?: string;
  page?: string | null;
}

/** `place`: flags that select the project. */
export interface PlanMarkdownOptions extends DocumentMarkdownOptions {
  place?: string;
}
