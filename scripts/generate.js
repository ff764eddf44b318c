// Generates schemas/*.json, TypeScript types and validators from the schemas. A test compares them with the committed
// files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generated, missingParts } from './generated.js';

const missing = await missingParts();
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}
// If a round changes the types, the next one reads them.
while (await writeChanges());

/** Returns true if a file was changed. */
async function writeChanges() {
  const files = Object.entries(await generated()).map(([file, text]) => [
    new URL(`../${file}`, import.meta.url),
    text,
  ]);
  const changed = files.filter(([url, text]) => !existsSync(url) || readFileSync(url, 'utf8') !== text);
  for (const [url, text] of changed) writeFileSync(url, text);
  return changed.length > 0;
}
