import type { Inventory, InventoryEntry } from '../../model/inventory.js';
import {
  hidesStatus,
  inventoryLine,
  lastWord,
  nextSteps,
  problemsOf,
  STANDING_WORDS,
  statusWord,
} from '../inventory-words.js';
import { cellCode, code, prose } from '../markdown.js';

/** Live campaigns beside manifests as a table of Markdown. */
export function renderListMarkdown(inventory: Inventory): string {
  const { environment, summary, campaigns } = inventory;
  const table = [
    '| | name | id | status | manifest | last apply |',
    '| --- | --- | --: | --- | --- | --- |',
    ...campaigns.map(row),
  ];
  const lines = [
    `### Campaigns of ${code(environment)}: ${inventoryLine(summary)}`,
    '',
    ...(campaigns.length === 0 ? [] : [...table, '']),
    ...(hidesStatus(inventory) ? ['?: the list of the service does not show the status.', ''] : []),
    ...problemsOf(inventory).flatMap(({ message, hint }) => [
      `> ⚠ ${prose(`${message} ${hint}`.trim())}`,
      '',
    ]),
    ...nextSteps(inventory).map(([command, does]) => `- ${code(command)} ${does}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function row(entry: InventoryEntry): string {
  const { status, name, id, manifest } = entry;
  const cells = [
    STANDING_WORDS[status],
    cellCode(name),
    id === null ? '—' : String(id),
    entry.live_status === null ? statusWord(entry) : cellCode(entry.live_status),
    manifest === null ? '—' : cellCode(manifest),
    prose(lastWord(entry)),
  ];
  return `| ${cells.join(' | ')} |`;
}
