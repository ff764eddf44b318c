// The minimum cost of requests: sent with bare undici, each once, over the same number of connections as the program uses.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [origin, file, connections] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8'));
const pool = new Pool(origin, { connections: Number(connections) });
let next = 0;

async function worker() {
  while (next < requests.length) {
    const [method, path, body] = requests[next++];
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${process.env.BENCH_TOKEN}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const answer = await pool.request({ method, path, headers, body: body || null });
    await answer.body.json();
  }
}

await Promise.all(Array.from({ length: Number(connections) }, worker));
await pool.close();
