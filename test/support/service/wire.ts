import type { Exchange, Wire } from '../../../src/service/wire.js';
import { type Service, TOKEN } from './service.js';

const LOST = { kind: 'lost' } as const;
const CLOSED = 'the connection was closed before the response was complete';

/** Connects to a service in this process without a network. The order of responses is the same in every run. */
export function wireTo(service: Pick<Service, 'answer'>, address = 'https://send.example.com'): Wire {
  let closed = false;
  return {
    async exchange({ method, path, body }): Promise<Exchange> {
      if (closed) return { ...LOST, sent: false, status: null, reason: 'campaignctl closed the connection' };
      const reply = service.answer({
        method,
        url: new URL(path, address),
        authorization: `Bearer ${TOKEN}`,
        contentType: body === null ? undefined : 'application/json',
        body: body === null ? undefined : structuredClone(body),
      });
      // Concurrent requests take turns.
      await new Promise((resolve) => setImmediate(resolve));
      if (reply === null) return { ...LOST, sent: true, status: null, reason: CLOSED };
      const { status, body: answer, headers = {}, cut } = reply;
      if (cut) return { ...LOST, sent: true, status, reason: CLOSED };
      const text = typeof answer === 'string' ? answer : answer === undefined ? '' : JSON.stringify(answer);
      return { kind: 'answered', status, headers, bytes: Buffer.from(text) };
    },
    close: async () => {
      closed = true;
    },
  };
}
