import { isObject, type Json } from '../model/json.js';
import type { Place } from '../model/outputs.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import { listed } from '../model/words.js';
import { errorAt, quoted, type SourceFinding, type Wording } from './errors.js';
import { propertyNames } from './json-schema.js';
import { PIECE_KEYS } from './pieces.js';
import { manifestSchema } from './schema.js';
import { keyMeant } from './spellings.js';

const MANIFEST = propertyNames(manifestSchema);

/** A shared piece among the manifests. */
export function strayPiece(root: Place, document: Json): SourceFinding | null {
  const keys = isObject(document) ? Object.keys(document) : [];
  if (keys.some((key) => MANIFEST.includes(key))) return null;
  const [section] =
    Object.entries(PIECE_KEYS).find(([, known]) => keys.some((key) => known.includes(key))) ?? [];
  if (section === undefined) return null;
  return errorAt(root, {
    code: 'shared-piece',
    message: `This is a ${section}, not a manifest.`,
    hint: `A manifest includes it with ${section}: { use: … }. Exclude it with "!${root.file}" under manifests in the project file, or move it to a different folder.`,
  });
}

/** A project file among the manifests, or campaigns that are not at the top level of a document. */
export function strayFile(root: Place, value: Json, environments: readonly string[]): SourceFinding | null {
  if (!isObject(value) || Object.hasOwn(value, 'name')) return null;
  if (['version', 'manifests', 'environments'].every((key) => Object.hasOwn(value, key)))
    return errorAt(root, {
      code: 'wrong-value',
      message: 'This is a project file, not a manifest: it has version, manifests and environments.',
      hint: 'Name only manifests here and under manifests in the project file.',
    });
  const keys = Object.keys(value);
  if (keys.some((key) => MANIFEST.includes(key))) return null;
  const wrappers = keys.flatMap((key): Wrapper[] => {
    const isSection = environments.includes(key) || ![null, 'name'].includes(keyMeant(key, MANIFEST));
    const form = isSection ? null : wrapperForm(key, value[key] ?? null);
    return form === null ? [] : [{ key, form }];
  });
  const [first, ...others] = wrappers;
  if (first === undefined) return null;
  const rest = keys.filter((key) => !wrappers.some((wrapper) => wrapper.key === key));
  const { hint, ...wording } = wrapping(first, others);
  const also = rest.length === 0 ? '' : ` Remove ${listed(rest)} as well.`;
  return errorAt({ ...root, path: [first.key], target: 'key' }, { ...wording, hint: `${hint}${also}` });
}

/** `campaign`: the key contains a campaign; `list` or `section`: it contains several. */
interface Wrapper {
  key: string;
  form: 'campaign' | 'list' | 'section';
}

function wrapperForm(key: string, value: Json): Wrapper['form'] | null {
  if (isCampaign(value)) return 'campaign';
  if (!/^campaigns?$/i.test(key)) return null;
  if (Array.isArray(value) && value.length > 0) return 'list';
  const inner = isObject(value) ? Object.values(value) : [];
  return inner.length > 0 && inner.every(isObject) ? 'section' : null;
}

/** A section with the name or the sections of a campaign, perhaps in other words. */
function isCampaign(value: Json): boolean {
  const keys = isObject(value) ? Object.keys(value) : [];
  return keys.some((key) => OF_CAMPAIGN.some((name) => keyMeant(key, [name]) === name));
}

const OF_CAMPAIGN = ['name', ...OPTIONAL_SECTIONS.filter((section) => section !== 'status')];

function wrapping({ key, form }: Wrapper, others: readonly Wrapper[]): Wording {
  const several = 'write a line `---` between two campaigns.';
  if (form === 'list')
    return {
      code: 'wrong-value',
      message: 'The file is a list of campaigns, but each campaign is a document of its own.',
      hint: `Remove \`${key}:\` and the dashes, and ${several}`,
    };
  const lines = listed([key, ...others.map((wrapper) => wrapper.key)].map((name) => `\`${name}:\``));
  if (form === 'section' || others.length > 0)
    return {
      code: 'wrong-value',
      message: `The file contains several campaigns under ${form === 'section' ? quoted(key) : 'keys'}, but each campaign is a document of its own.`,
      hint: `Remove ${lines}${form === 'section' ? ' and the keys right below it' : ''}, begin the keys of each campaign at the left margin, and ${several}`,
    };
  return {
    code: 'wrong-value',
    message: `The campaign is below the key ${quoted(key)}, but its keys belong at the top level of the file.`,
    hint: `Remove the line ${lines}, and begin the keys below it at the left margin.`,
  };
}
