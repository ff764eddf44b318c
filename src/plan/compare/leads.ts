import type { Change } from '../../model/change.js';
import type { Environment } from '../../model/environment.js';
import type { Json } from '../../model/json.js';
import type { CampaignSpec } from '../../model/spec.js';

type Specified = readonly [spec: CampaignSpec, environment: Environment];

/** Lists of the same name are the same list, with another id; lists and leads that only one side has come and go. */
export function leadChanges(left: Specified, right: Specified): Change[] {
  const [from, to] = [listsOf(left), listsOf(right)];
  const [before, after] = [left[0].leads?.ids ?? [], right[0].leads?.ids ?? []];
  const renumbered = [...from].flatMap(([written, id]): Change[] => {
    const other = to.get(written);
    if (other === undefined || other === id) return [];
    return [{ ...change(`lists.${written}`, 'update'), from: id, to: other }];
  });
  return [
    ...renumbered,
    ...comeAndGo('lists', [...from.keys()], [...to.keys()]),
    ...comeAndGo('ids', before, after),
  ];
}

/** Lists as they are written, with their ids. */
function listsOf([{ leads }, { lead_lists }]: Specified): Map<number | string, number | null> {
  const written = leads?.lists ?? [];
  return new Map(written.map((list) => [list, typeof list === 'number' ? list : (lead_lists[list] ?? null)]));
}

function comeAndGo(path: string, from: readonly Json[], to: readonly Json[]): Change[] {
  const [before, after] = [new Set(from), new Set(to)];
  const [gone, come] = [
    [...before].filter((one) => !after.has(one)),
    [...after].filter((one) => !before.has(one)),
  ];
  return [
    ...(gone.length > 0 ? [{ ...change(path, 'remove'), from: gone }] : []),
    ...(come.length > 0 ? [{ ...change(path, 'add'), to: come }] : []),
  ];
}

function change(path: string, kind: Change['kind']): Change {
  return { section: 'leads', path, kind, from: null, to: null, note: null };
}
