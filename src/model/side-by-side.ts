/**
 * Processes at most `limit` items concurrently. After an error, starts no more items and rejects once the running ones have
 * ended.
 */
export async function sideBySide<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const thrown: unknown[] = [];
  const worker = async () => {
    for (let next = queue.next(); !next.done && thrown.length === 0; next = queue.next())
      await work(next.value).catch((error: unknown) => thrown.push(error));
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (thrown.length > 0) throw thrown[0];
}
