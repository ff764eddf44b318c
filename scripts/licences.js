import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages whose code is in generated files of the source, which bundles do not name. */
const GENERATED_FROM = ['node_modules/ajv'];
/** The parser in undici, which has no licence text of its own in that package. */
const LLHTTP = `llhttp (in undici), MIT

This software is licensed under the MIT License.

Copyright Fedor Indutny, 2018.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

/** Writes the licences of all packages of which a bundle contains something. Throws if a package has no licence text. */
export function writeLicences(root, metafiles, file) {
  const folders = new Set([...GENERATED_FROM, ...metafiles.flatMap(bundledFolders)]);
  const licences = [LLHTTP, ...[...folders].map((folder) => licenceOf(join(root, folder)))].sort();
  const head = 'campaignctl contains code of these packages, under these licences.\n';
  writeFileSync(file, [head, ...new Set(licences)].join(`\n${'-'.repeat(80)}\n`));
}

/** The folders of the packages whose code is in the outputs, relative to the root. */
function bundledFolders({ outputs }) {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0])
    .filter((folder) => folder !== undefined);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = readdirSync(folder).find((file) => /^(?:licen[cs]e|copying)(?:\.|-|$)/i.test(file));
  if (text === undefined) throw new Error(`The package ${name} has no licence text.`);
  return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, text), 'utf8').trim()}\n`;
}
