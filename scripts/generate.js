// Writes what follows from the schemas: schemas/*.json and the TypeScript types. A test compares both with the tree.
import { writeFileSync } from 'node:fs';
import { generated, missingParts } from './generated.js';

const missing = await missingParts();
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}
for (const [file, text] of Object.entries(await generated()))
  writeFileSync(new URL(`../${file}`, import.meta.url), text);
