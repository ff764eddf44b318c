/** Ignores case. Returns `null` if no candidate is similar. `limit`: number of characters that may differ. */
export function nearest(
  word: string,
  candidates: readonly string[],
  limit = Math.max(1, Math.floor(word.length / 3)),
): string | null {
  const typed = word.toLowerCase();
  const [best] = candidates
    // Words differ in at least as many characters as their lengths do.
    .filter(({ length }) => Math.abs(length - typed.length) <= limit)
    .map((candidate) => ({ candidate, distance: distance(typed, candidate.toLowerCase()) }))
    .filter((near) => near.distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate ?? null;
}

function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped && row > 1 && column > 1 ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
