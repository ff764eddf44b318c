import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the licences of all packages of which a bundle contains something. Throws if a package has no licence text. */
export function writeLicences(root, metafiles, file) {
  const folders = new Set(metafiles.flatMap(bundledFolders));
  const licences = [...folders].map((folder) => licenceOf(join(root, folder))).sort();
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
