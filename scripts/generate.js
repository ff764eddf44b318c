// Writes what follows from the schemas: schemas/*.json and the TypeScript types. A test compares both with the tree.
import { writeFileSync } from 'node:fs';
import { generated } from './generated.js';

for (const [file, text] of Object.entries(await generated()))
  writeFileSync(new URL(`../${file}`, import.meta.url), text);
