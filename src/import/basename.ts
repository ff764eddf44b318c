const LONGEST = 60;
/** Names of devices: Windows has no files of these names. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** A campaign's name as the name of a file without its end: letters, digits and dashes; empty where it has neither. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  return RESERVED.test(slug) ? `${slug}-campaign` : slug;
}

/** File names for campaigns in their order: no two alike, none that is `taken` (lower case). */
export function chooseBasenames(
  campaigns: readonly { id: number; name: string }[],
  taken: ReadonlySet<string>,
): string[] {
  const used = new Set(taken);
  return campaigns.map(({ id, name }) => {
    const slug = slugOf(name) || `campaign-${id}`;
    let stem = slug;
    for (let number = 2; used.has(stem); number += 1) stem = `${slug}-${number}`;
    used.add(stem);
    return stem;
  });
}
