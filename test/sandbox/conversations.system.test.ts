import { describe, expect, test } from 'vitest';
import { readCases } from '../support/cases.js';
import { send, setUp, withSandbox } from './service.js';

type Request = string | [line: string, body: unknown];

/** Requests with their responses, and the stored workspace at the end. */
async function conversation(profile: 'documented' | 'reported', requests: Request[]): Promise<string[]> {
  return await withSandbox({ profile }, async (sandbox) => {
    const lines: string[] = [];
    for (const request of requests) {
      if (request === 'set up') {
        await setUp(sandbox);
        continue;
      }
      const [line, body] = typeof request === 'string' ? [request] : request;
      const { status, body: answer } = await send(sandbox, line, body);
      const effect = sandbox.requests().at(-1)?.effect === true ? ', written' : '';
      lines.push(line, `  ${status}${effect} ${JSON.stringify(answer).replaceAll(sandbox.url, '')}`);
    }
    const { campaigns, templates } = sandbox.state();
    for (const { id, settings, sequenceTitles, lists, leads, resumes } of campaigns) {
      const { reputation_building } = settings;
      lines.push(`  ${JSON.stringify({ id, reputation_building, sequenceTitles, lists, leads, resumes })}`);
    }
    return [...lines, `  ${templates.length} templates`];
  });
}

describe.each(['documented', 'reported'] as const)('profile %s', (profile) => {
  test('answers requests, and stores what they write', async () => {
    const lines: string[] = [];
    for (const [title, requests] of readCases<Request[]>(import.meta.dirname, 'conversations'))
      lines.push(`# ${title}`, ...(await conversation(profile, requests)), '');
    await expect(lines.join('\n')).toMatchFileSnapshot(`golden/${profile}.txt`);
  });
});
