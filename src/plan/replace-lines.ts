import type { ListedCampaign } from '../model/answer.js';
import { type Campaign, IDENTITY, type WrittenIdentity } from '../model/spec.js';

/** Lines for a manifest whose campaign has to be replaced. */

/** `where` ends the sentence before the lines. */
interface ReplaceLines {
  where: string;
  lines: [name: string, replaces: string];
}

/** `all`: the list, if read. `campaigns`: planned manifests. */
interface ReplaceContext {
  id: number | null;
  all: readonly ListedCampaign[];
  campaigns: readonly Campaign[];
  environment: string;
}

/** "name: …" and "replaces: …" as the manifest writes them. */
export function linesToReplace(campaign: Campaign, context: ReplaceContext): ReplaceLines {
  const { file, document, manifest, spec } = campaign;
  const { identity = { base: identityIn(spec), overlay: {}, for_each: false } } = campaign;
  const { base, overlay, for_each } = identity;
  const { environment } = context;
  const place = `${file}${manifest.startsWith(`${file}#`) ? `, document ${document + 1}` : ''}`;
  const siblings = for_each
    ? context.campaigns.filter((sibling) => sibling.file === file && sibling.document === document)
    : [];
  const names = siblings.length > 0 ? siblings.map((sibling) => sibling.spec.name) : [spec.name];
  const isNamed = spec.id === undefined && names.every((name) => isTold(name, name === spec.name, context));
  const isOverlaid = Object.keys(overlay).length > 0 || (!isNamed && base.id === undefined);
  if (for_each && isOverlaid)
    return {
      where: `To do so, take it out of the for_each of ${place}, and write a manifest of its own that begins with these lines:`,
      lines: identityLines(
        freeName(spec.name, [spec.name], context),
        isNamed ? spec.name : (context.id ?? spec.name),
      ),
    };
  const keys = isOverlaid ? overlay : base;
  const written = String(keys.name ?? base.name ?? spec.name);
  const next = freeName(written, names, context);
  const old = isNamed ? written : (keys.id ?? context.id ?? spec.name);
  const below = isOverlaid ? `, below environments: ${environment}` : '';
  const taken = IDENTITY.filter((key) => keys[key] !== undefined);
  const instead = taken.length === 0 ? '' : ` in place of its ${taken.join(' and ')}`;
  const pin = isOverlaid && base.id !== undefined ? `, and take id: ${base.id} out of the manifest` : '';
  const whole = for_each
    ? ' (they replace each campaign of its for_each; for this one alone, give it a manifest of its own first)'
    : '';
  return {
    where: `To do so, write these lines into ${place}${below}${instead}${pin}${whole}:`,
    lines: identityLines(next, old),
  };
}

function identityIn({ name, id, replaces }: Campaign['spec']): WrittenIdentity['base'] {
  return { name, ...(id === undefined ? {} : { id }), ...(replaces === undefined ? {} : { replaces }) };
}

/** True if the list has the name once. `isOwn`: it must be this campaign's. */
function isTold(name: string, isOwn: boolean, { id, all }: ReplaceContext): boolean {
  const called = all.filter((campaign) => campaign.name === name);
  return called.length === 1 ? !isOwn || called[0]?.id === id : called.length === 0 && !isOwn;
}

function identityLines(name: string, old: string | number): ReplaceLines['lines'] {
  return [`name: ${yamlText(name)}`, `replaces: ${typeof old === 'number' ? old : yamlText(old)}`];
}

/** "Spring 2" after "Spring". `written` may hold expressions that yield `names`. */
function freeName(
  written: string,
  names: readonly string[],
  { all, campaigns }: Pick<ReplaceContext, 'all' | 'campaigns'>,
): string {
  const taken = new Set([...all.map(({ name }) => name), ...campaigns.map(({ spec }) => spec.name)]);
  const [, base = written, last] = /^(.*\S) ([1-9]\d{0,2})$/s.exec(written) ?? [];
  const cut = written.length - base.length;
  const bases = names.map((name) => name.slice(0, name.length - cut));
  for (let number = Number(last ?? 1) + 1; ; number++)
    if (!bases.some((candidate) => taken.has(`${candidate} ${number}`))) return `${base} ${number}`;
}

/** Quoted unless plain. */
function yamlText(text: string): string {
  const isPlain =
    /^\p{L}[\p{L}\p{N} _.()/-]*$/u.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
