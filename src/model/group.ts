/** `Map.groupBy`, which Node 20 does not have. */
export function groupBy<T, K>(values: readonly T[], key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group === undefined) groups.set(key(value), [value]);
    else group.push(value);
  }
  return groups;
}

/** How often each of these names is among the values. */
export function countEach<Name extends string>(
  names: readonly Name[],
  values: readonly Name[],
): Record<Name, number> {
  const counted = names.map((name) => [name, values.filter((value) => value === name).length]);
  return Object.fromEntries(counted) as Record<Name, number>;
}
