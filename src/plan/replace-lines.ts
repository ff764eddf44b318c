import type { ListedCampaign } from '../model/answer.js';
import type { Problem } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';

/** `listed`: the complete list. `campaigns`: planned manifests. */
interface ReplaceContext {
  id: number | null;
  listed: readonly ListedCampaign[];
  campaigns: readonly Campaign[];
}

/** An instance of for_each gets a separate manifest, because its lines also describe other campaigns. */
export function linesToReplace(
  { file, document, manifest, spec }: Campaign,
  { id, listed, campaigns }: ReplaceContext,
): Required<Pick<Problem, 'where' | 'lines'>> {
  const [, number = '', instance = ''] = /^(#\d+)?(\[.*\])?$/s.exec(manifest.slice(file.length)) ?? [];
  const place = `${file}${number === '' ? '' : `, document ${document + 1}`}`;
  const keys = (['name', 'id', 'replaces'] as const).filter((key) => spec[key] !== undefined);
  const where =
    instance === ''
      ? `write these lines in ${place} in place of its ${keys.join(' and ')}`
      : `remove it from the for_each of ${place}, and write a separate manifest that begins with these lines`;
  const namesakes = listed.filter(({ name }) => name === spec.name);
  const isNamed = spec.id === undefined && namesakes.length === 1 && namesakes[0]?.id === id;
  const old = isNamed ? yamlText(spec.name) : (id ?? yamlText(spec.name));
  const taken = new Set([...listed.map(({ name }) => name), ...campaigns.map((other) => other.spec.name)]);
  return {
    where: `To do so, ${where}:`,
    lines: [`name: ${yamlText(freeName(spec.name, taken))}`, `replaces: ${old}`],
  };
}

/** "Spring 2" after "Spring". */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const [, base = name, last = 1] = /^(.*\S) ([1-9]\d{0,2})$/s.exec(name) ?? [];
  let number = Number(last) + 1;
  while (taken.has(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}

function yamlText(text: string): string {
  const isPlain =
    /^\p{L}[\p{L}\p{N} _.()/-]*$/u.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
