import type { Inventory } from '../model/reports.js';
import { documentHtml } from './document-html.js';
import { listDocument, listsDocument } from './list.js';
import type { ProjectPart } from './projects.js';

export function renderListHtml(inventory: Inventory): string {
  return documentHtml(listDocument(inventory));
}

export function renderListsHtml(parts: readonly ProjectPart<Inventory>[]): string {
  return documentHtml(listsDocument(parts));
}
