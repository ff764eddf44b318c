import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { isObject, type Json, type JsonObject } from '../../src/model/json.js';
import type { Plan } from '../../src/model/outputs.js';
import type { Run } from '../../src/model/state.js';
import { fingerprint } from '../../src/plan/fingerprint.js';
import {
  alreadyApplied,
  launchesWithMoreLeads,
  openPlan,
  type SavedPlan,
} from '../../src/plan/saved-plan.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plain } from '../../src/view/terminal.js';
import { planOf, sealed, step } from '../support/plans.js';
import { CHANGED, CREATED, LAUNCHED } from '../view/plans.js';

/** A saved plan with values of every kind. */
function saved(campaigns = [CHANGED, CREATED, LAUNCHED]): SavedPlan {
  const seen = campaigns.map((campaign) => ({
    ...campaign,
    changes: campaign.changes.map((change) => ({ ...change, origin: 'service' as const })),
    last: { at: '2026-03-01T06:00:00Z', how: 'apply' as const },
  }));
  const plan: Plan = {
    ...planOf(seen),
    removed: [
      {
        ...{
          id: 9,
          name: 'Autumn',
          manifest: 'campaigns/autumn.yaml',
          status: 'active',
          running: true,
        },
        ...{ basis: 'shown', outside: false },
        ...{ max_emails_per_day: 50, step: step('status', { id: 'pause' }) },
      },
    ],
  };
  const unsealed = {
    ...({ kind: 'campaignctl plan', version: 1 } as const),
    created: {
      at: '2026-03-02T06:00:00.000Z',
      who: 'ada@desk',
      project: 'campaignctl.yaml',
      commit: null,
      tool: '0.1.0',
    },
    selection: { files: ['campaigns/spring.yaml'], target: ['Spring'], hold: ['launch' as const] },
    sources: { 'campaignctl.yaml': 'ab', 'campaigns/spring.yaml': 'cd' },
    plan,
    live: plan.campaigns.map(({ name }) => ({ settings: { daily: 7 }, status: { word: name, total: null } })),
  };
  return JSON.parse(JSON.stringify(sealed({ ...unsealed, checksum: '' }))) as SavedPlan;
}

type Path = (string | number)[];

/** The paths of all values, including objects and lists. */
function places(value: Json, path: Path = []): Path[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, at) => places(item, [...path, at]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, element]) => places(element ?? null, [...path, name]))
      : [];
  return [path, ...inner];
}

/** The value with one place replaced. */
function withValue(value: Json, [first, ...rest]: Path, to: Json): Json {
  if (first === undefined) return to;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (copy as Record<string, Json>)[first] ?? null;
  return Object.assign(copy, { [first]: withValue(inner, rest, to) }) as Json;
}

async function opened(text: string): Promise<SavedPlan | Failure> {
  return openPlan('p.json', text).catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
}

/** Exit code 3 if the file was altered, or 1 if it is not a plan. */
function isRefused(ended: unknown): boolean {
  if (!(ended instanceof Failure)) return false;
  return ended.exitCode === (ended.code === 'plan-file-unusable' ? 1 : 3) && ended.code.startsWith('plan-');
}

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json;
const at = (value: Json, path: Path): Json => path.reduce<Json>((of, name) => (of as never)[name], value);

/** A different value for a place. */
function changed(value: Json): Json {
  if (typeof value === 'string') return `${value} `;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.length > 0 ? value.slice(1) : [null];
  return isObject(value) ? { ...value, more: null } : 0;
}

const ANY: Json[] = [null, true, -7, 1.5, '', 'other', '2026-99-99T99:99:99Z', [], {}, [null]];

/** Text and Markdown, because a page takes long to render. */
function rendered({ plan }: SavedPlan, alsoPage: boolean): string[] {
  const text = renderPlanText(plan, { paint: plain, width: 100 });
  return [text, renderPlanMarkdown(plan, 60_000), ...(alsoPage ? [renderPlanHtml(plan)] : [])];
}

describe('a saved plan', () => {
  const whole = json(saved());
  const all = places(whole);

  it('is opened unchanged, whatever the key order and white space', async () => {
    expect(await opened(JSON.stringify(whole))).toEqual(whole);
    const turned = Object.fromEntries(Object.entries(whole as object).reverse());
    expect(await opened(JSON.stringify(turned, null, 2))).toEqual(whole);
  });

  it('is refused if any value was changed', async () => {
    for (const path of all) {
      const text = JSON.stringify(withValue(whole, path, changed(at(whole, path))));
      expect(await opened(text), path.join('.')).toSatisfy(isRefused);
    }
  });

  it('is refused with a number that JSON.stringify would write as null', async () => {
    const path = all.find((item) => item.at(-1) === 'from' && at(whole, item) === null) ?? [];
    const text = JSON.stringify(withValue(whole, path, '@')).replace('"@"', '1e999');
    expect(await opened(text)).toSatisfy(isRefused);
  });

  // Apply compares the sources and recomputes forecasts.
  it('is refused if any visible value was changed, even with a new checksum', async () => {
    const free = /^(?:checksum|sources|created)\b|\b(?:impact|accepted_by)\b/;
    for (const path of all.filter((path) => path.length > 0 && !free.test(path.join('.')))) {
      const { checksum: _, ...rest } = withValue(whole, path, changed(at(whole, path))) as JsonObject;
      const text = JSON.stringify({ ...rest, checksum: fingerprint(rest) });
      expect(await opened(text), path.join('.')).toSatisfy(isRefused);
    }
  });

  it('with any value of any type is rendered, or refused with a position, even with new hashes', async () => {
    // Each kind of place once, in a plan of one campaign. Of similar places, the last one, which belongs to a launch.
    const kinds = new Map<string, [SavedPlan, Path]>();
    for (const campaign of [CHANGED, CREATED, LAUNCHED]) {
      const plan = saved([campaign]);
      for (const path of places(json(plan)))
        kinds.set(path.map((at) => (typeof at === 'number' ? '#' : at)).join('.'), [plan, path]);
    }
    for (const [kind, [plan, path]] of kinds)
      for (const other of /^(?:$|checksum)/.test(kind) ? [] : ANY) {
        const ended = await opened(sealedText(withValue(json(plan), path, other)));
        if (ended instanceof Failure) expect(ended, kind).toSatisfy(isRefused);
        else if (path[0] === 'plan') rendered(ended, other === 'other');
      }
  }, 60_000);

  it.each<[Path, Json, string]>([
    [['plan', 'campaigns', 1, 'steps', 0, 'path'], null, '/plan/campaigns/1/steps/0/path must be string'],
    [['plan', 'campaigns', 0], {}, "/plan/campaigns/0 must have required property 'manifest'"],
    [['plan', 'more'], 1, '/plan must NOT have additional properties'],
    [['selection', 'hold'], ['pause'], '/selection/hold/0 must match pattern "^launch(=[\\s\\S]+)?$"'],
    [['version'], 2, '/version must be equal to constant'],
    [['live'], [], 'live and plan.campaigns do not match'],
    [
      ['plan', 'campaigns', 2, 'problems', 0, 'accepted_by'],
      '--allow launch',
      'it contains a hazard accepted by an option of apply, which a saved plan cannot contain',
    ],
    [['created', 'at'], '2026-13-02T06:00:00.000Z', 'created.at is not a date'],
  ])('tells the place of what is wrong: %j', async (path, other, lines) => {
    const ended = await opened(sealedText(withValue(whole, path, other)));
    expect((ended as Failure).message).toContain(`wrote: ${lines}.`);
  });

  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  it.each(['', '{', '[]', 'null', '7', `{"live":${deep}}`, JSON.stringify(whole).slice(0, -20)])(
    'is an error if it is not a plan: %.9s',
    async (text) => {
      expect(await opened(text)).toMatchObject({ code: 'plan-file-unusable', exitCode: 1 });
    },
  );

  it.each([300, 9_000, 200_000])('is an error if it is nested %i levels deep', async (depth) => {
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const text = JSON.stringify(withValue(whole, ['live', 0], '@')).replace('"@"', nested);
    expect(await opened(text)).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('nested too deeply'),
    });
  });
});

/** Recomputes the hashes if the values that they cover still exist. */
function sealedText(value: Json): string {
  try {
    return JSON.stringify(sealed(value as unknown as SavedPlan));
  } catch {
    return JSON.stringify(value);
  }
}

it('a plan counts as applied only if a run with its fingerprint began after it was made', () => {
  const applied = saved();
  const run = (at: string, fingerprint = applied.plan.fingerprint): Run => ({
    ...{ run: '20260302-1', at, who: 'ada', tool: '0.1.0', commit: null, environment: 'production' },
    ...{ fingerprint, summary: applied.plan.summary, ended: at, result: 'done', pending: false, steps: [] },
  });
  const [before, after] = ['2020-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
  expect(alreadyApplied(applied, [run(before), run(after, 'sha256:other')])).toBeNull();
  expect(alreadyApplied(applied, [run(after)])).toMatchObject({ code: 'plan-stale', exitCode: 3 });
});

it.each([
  [5, 5, []],
  [5, 4, []],
  [5, 6, ['Spring FR: the number of leads was 5 and is now 6']],
])('leads that are added after the question are reported: %i before, %i now', (before, now, lines) => {
  const launching = (leads: number) => {
    const { impact } = LAUNCHED;
    return planOf([{ ...LAUNCHED, name: 'Spring FR', impact: impact && { ...impact, leads } }]);
  };
  expect(launchesWithMoreLeads(launching(before), launching(now))).toEqual(lines);
});
