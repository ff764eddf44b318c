import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/model/canonical.js';
import { importNew } from '../../src/operations/import.js';
import { toInterrupt } from '../../src/operations/world.js';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { RULES } from '../../src/rules/check.js';
import { systemClock } from '../../src/service/clock.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { liveCampaigns } from '../support/live-campaigns.js';
import { openService, TOKEN } from '../support/service/service.js';
import { CHOICES, type Shape, showsStatus } from '../support/service/shape.js';
import type { StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

const PROJECT = `version: 1
manifests: [campaigns/**/*.yaml]
default_environment: production
environments:
  production:
    base_url: https://send.example.com
    token_env: CAMPAIGNS_TOKEN
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 77 }
  staging: { sandbox: {} }
lint: { ${RULES.map(({ code }) => `${code}: off`).join(', ')} }
`;

/** Each file of a folder with its text. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const));
  return Object.fromEntries(texts);
}

/** Subjects and bodies of a live campaign with Unix line endings. In replies, one `Re:` may come from the service. */
function textsOf({ steps }: StoredCampaign, { lineEnds }: Shape): string[] {
  const shown = (text: string) =>
    (lineEnds === 'CRLF' ? text.replaceAll(/\r?\n/g, '\r\n') : text).replaceAll('\r\n', '\n');
  return steps
    .map(({ email_subject, email_body, thread_reply }) =>
      textOf(shown(email_subject), shown(email_body), thread_reply),
    )
    .sort();
}

function textOf(subject: string, body: string, isReply: boolean): string {
  const plain = canonicalText(subject);
  const value = plain.replace(/^re:\s*/i, '');
  // The line break that ends a YAML block is not part of a subject.
  const written = subject.replace(/[\r\n]+$/, '');
  return JSON.stringify([isReply && value !== plain && value !== '' ? value : written, body]);
}

const ALL = {
  ...{ config: null, env: null, debug: false, names: [], all: true, status: null },
  ...{ lockTimeout: 0 },
};

async function imports(campaigns: StoredCampaign[], shape: Shape): Promise<void> {
  const service = openService(shape, { campaigns, templates: [] });
  await withFolder(async (folder) => {
    await writeFiles(folder, { 'campaignctl.yaml': PROJECT });
    const wired = () => ({ wire: wireTo(service) });
    const run = (...argv: string[]) => command(folder, argv, undefined, undefined, wired());
    const world = {
      cwd: folder,
      env: { CAMPAIGNS_TOKEN: TOKEN },
      now: Date.now,
      clock: systemClock,
      err: () => {},
      ...wired(),
    };
    const result = await importNew(ALL, world, toInterrupt(new AbortController().signal));
    const isGone = ({ status }: { status: string }) => showsStatus(shape) && status === 'archived';
    const isAlone = ({ id, name }: StoredCampaign) =>
      campaigns.every((other) => other.id === id || other.name.trim() !== name.trim());
    const hasLegalName = ({ name }: StoredCampaign) =>
      name.trim() === name && /^[^\p{Cc}\p{Cs}]+$/u.test(name);
    const alive = campaigns.filter(
      (campaign) => !isGone(campaign) && isAlone(campaign) && hasLegalName(campaign),
    );
    expect(result.campaigns.map(({ id }) => id)).toEqual(alive.map(({ id }) => id));

    if (alive.length > 0) {
      const plan = await run('plan', '--format', 'json');
      expect(plan.code, plan.err).toBe(0);
      const { campaigns: planned, summary } = JSON.parse(plan.out);
      expect(summary).toMatchObject({
        unchanged: alive.length,
        requests: 0,
        blocked: 0,
        create: 0,
        change: 0,
      });
      expect(planned.map(({ id }: { id: number }) => id).sort()).toEqual(alive.map(({ id }) => id));
    }

    const { root: _, ...read } = await readProject({ cwd: folder, config: null });
    const { production } = read.environments;
    const loaded = await loadCampaigns(openManifests({ ...read, root: folder }), {
      environments: production === undefined ? [] : [production],
      files: [],
      cwd: folder,
      env: {},
    });
    for (const live of alive) {
      const { manifest = '', remarks = [] } = result.campaigns.find(({ id }) => id === live.id) ?? {};
      const local = loaded.campaigns.production?.find((candidate) => candidate.manifest === manifest);
      const steps = local?.spec.sequence?.steps ?? [];
      const texts = steps
        .flatMap(({ variants = [], ...step }) => [step, ...variants])
        .map(({ email_subject, email_body }) => JSON.stringify([email_subject, email_body]));
      const isWhole = live.steps.every(
        ({ email_subject, email_body }) => email_subject.trim() && email_body.trim(),
      );
      if (isWhole) expect(texts.sort(), remarks.join()).toEqual(textsOf(live, shape));
    }

    const before = await filesOf(join(folder, 'campaigns')).catch(() => ({}));
    const again = await run('import', '--all');
    expect(again.code, again.err).toBe(0);
    expect(await filesOf(join(folder, 'campaigns')).catch(() => ({}))).toEqual(before);
    expect(service.writes()).toEqual([]);
    expect(service.violations).toEqual([]);
  });
}

const anyShape = fc.record(
  Object.fromEntries(
    Object.entries(CHOICES).map(([name, choices]) => [name, fc.constantFrom<unknown>(...choices)]),
  ),
) as fc.Arbitrary<Shape>;

const RUNS = Number(process.env.TRUST_CASES ?? 12);

describe('any workspace on any service', () => {
  test('is imported, plans empty, has its bodies byte for byte, and is not written a second time', async () => {
    await fc.assert(
      fc.asyncProperty(liveCampaigns, anyShape, (campaigns, shape) => imports(campaigns, shape)),
      { seed: 20261121, numRuns: RUNS },
    );
  }, 240_000);
});
