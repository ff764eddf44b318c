import type { Answers, ResourceName } from '../model/answer.js';
import type { Reader } from './reader.js';

/** Campaigns under way at once: more than any sensible parallelism, few enough not to fill memory with waiting ones. */
const UNDER_WAY = 64;

/** Reads what is wanted of each campaign, side by side; answers in the order of `wanted`. Nothing is read twice. */
export async function readAnswers(
  reader: Reader,
  wanted: readonly { id: number; resources: readonly ResourceName[] }[],
): Promise<Answers[]> {
  const answers: Answers[] = new Array(wanted.length);
  const queue = inTurn(wanted);
  const work = async () => {
    for (const [index, { id, resources }] of queue) {
      const read = (name: ResourceName) => (resources.includes(name) ? reader.read(name, id) : null);
      const [campaign, schedule, sequence] = await Promise.all([
        read('campaign'),
        read('schedule'),
        read('sequence'),
      ]);
      answers[index] = { campaign, schedule, sequence };
    }
  };
  await Promise.all(Array.from({ length: Math.min(UNDER_WAY, wanted.length) }, work));
  return answers;
}

/** One iterator for all workers. A generator, since it ends for all of them when one of them fails. */
function* inTurn<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
