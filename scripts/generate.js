// Generates schemas/*.json, TypeScript types and validators from the schemas. A test compares them with the committed
// files.
import { writeFileSync } from 'node:fs';
import { generated, missingParts } from './generated.js';

const missing = await missingParts();
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}
// The second round reads the types that the first one wrote.
for (let round = 1; round <= 2; round++)
  for (const [file, text] of Object.entries(await generated()))
    writeFileSync(new URL(`../${file}`, import.meta.url), text);
