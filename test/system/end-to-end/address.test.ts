import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft, type StoredCampaign } from '../../support/service/store.js';

const NAME = 'Spring installers';
/** The first id that the service of the tests gives to a new campaign. */
const ID = 101;
const STATE = `.campaignctl/state/production/${ID}.json`;

interface At {
  folder: string;
  old: TestService;
  now: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
  /** Makes the environment name this address. */
  name(url: string): Promise<void>;
  /** Makes the manifest attach these lists. */
  lists(...ids: number[]): Promise<void>;
  /** Removes the manifest and writes another one. */
  replace(): Promise<void>;
  /** The state file, and another text for it. */
  entry(change?: (text: string) => string): Promise<string>;
  /** Takes the end from the journal of the run, as if it had died; gives the run's name. */
  journal(): Promise<string>;
}

/** A campaign with list 77, applied to one service; then the environment names another one, which holds these campaigns. */
async function moved(campaigns: StoredCampaign[], use: (at: At) => Promise<void>): Promise<void> {
  const old = await startService(shaped({}), { campaigns: [draft(ID, NAME)], templates: [] });
  const now = await startService(shaped({}), { campaigns, templates: [] });
  try {
    await withFolder(async (folder) => {
      const name = (url: string) =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }\n`,
        });
      const run = (...argv: string[]) => command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN });
      await name(old.url);
      const lists = (...ids: number[]) =>
        writeFiles(folder, { 'campaigns/spring.yaml': `name: ${NAME}\nleads: { lists: [${ids}] }\n` });
      await lists(77);
      expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
      await name(now.url);
      const replace = async () => {
        await rm(join(folder, 'campaigns/spring.yaml'));
        await writeFiles(folder, { 'campaigns/autumn.yaml': 'name: Autumn\n' });
      };
      const entry: At['entry'] = async (change) => {
        const text = await readFile(join(folder, STATE), 'utf8');
        if (change !== undefined) await writeFile(join(folder, STATE), change(text));
        return text;
      };
      const journal = async () => {
        const journals = join(folder, '.campaignctl/state/production/journal');
        const [file = ''] = await readdir(journals);
        const lines = (await readFile(join(journals, file), 'utf8')).trimEnd().split('\n');
        const left = lines.filter((line) => !/"type":"(reconciled|outcome|end)"/.test(line.slice(0, 30)));
        const id = file.replace('.jsonl', '');
        await writeFile(join(journals, file), `${left.join('\n')}\n`);
        await rename(join(journals, file), join(journals, `${id}.open.jsonl`));
        return id;
      };
      await use({ folder, old, now, run, name, lists, replace, entry, journal });
    });
  } finally {
    await Promise.all([old.close(), now.close()]);
  }
}

const same = draft(ID, NAME);

it('what was attached at another address is not known, whatever the id and the name', () =>
  moved([same], async ({ old, now, run, name, entry }) => {
    expect(JSON.parse(await entry())).toMatchObject({ base_url: old.url, attached: { lists: [77] } });
    const { out, code } = await run('plan');
    expect(code).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toContain(
      `This manifest was applied at ${old.url}, and production is at ${now.url} now.`,
    );
    expect(out).toContain('repeat-attach');
    expect(await run('apply', '--yes')).toMatchObject({ code: 3 });
    expect(now.writes()).toEqual([]);
    expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
    expect(now.writes()).toHaveLength(1);
    expect((await run('plan')).out).not.toContain('was applied at');
    // The entry of the first service has kept its file: what was attached there is known once it is named again.
    expect(JSON.parse(await entry())).toMatchObject({ base_url: old.url, attached: { lists: [77] } });
    await name(old.url);
    expect((await run('plan')).out).toContain('No changes');
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(old.writes()).toHaveLength(1);
  }));

it('what was attached at another address in the meantime is in doubt, as both may be one service', () =>
  moved([same], async ({ old, now, run, name, lists }) => {
    await lists(77, 78);
    expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
    await name(old.url);
    const { out } = await run('plan');
    expect(out.replace(/\s+/g, ' ')).toContain(
      `This manifest was applied at ${now.url}, too, and lead list 78 attached there. Whether they are attached at ${old.url}, the state does not know.`,
    );
    const { code, err } = await run('apply', '--yes');
    expect(code).toBe(3);
    expect(err).toContain('It is not known whether the campaign already has lead list 78.');
    expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
    expect(old.writes().map(({ body }) => body)).toEqual([{ lead_list_id: 77 }, { lead_list_id: 78 }]);
    expect((await run('plan')).out).toContain('No changes');
    await lists(77, 78, 79);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  }));

it('a campaign that is created with the id of one at another address leaves that entry as it is', () =>
  moved([draft(41, 'Other')], async ({ old, now, run, name, entry }) => {
    const before = await entry();
    expect(await run('apply', '--yes', '--allow', 'missing')).toMatchObject({ code: 0 });
    expect(now.store.campaigns.map(({ id }) => id)).toEqual([41, ID]);
    expect(await entry()).toBe(before);
    expect((await run('plan')).out).toContain('No changes');
    await name(old.url);
    expect((await run('plan')).out).toContain('No changes');
    expect(old.writes()).toHaveLength(1);
  }));

it('two entries of one campaign at one address are an error that says how to merge them', () =>
  moved([same], async ({ old, now, run, entry }) => {
    expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
    await entry((text) => text.replaceAll(old.url, now.url));
    const { code, err } = await run('plan');
    expect(code).toBe(1);
    expect(err.replace(/\s+/g, ' ')).toContain(`The state has two files of campaign ${ID} at ${now.url}: `);
    expect(err.replace(/\s+/g, ' ')).toContain('Merge them into one file so that nothing is forgotten:');
  }));

it('a run that died at another address is named, with what to do, and left alone', () =>
  moved([same], async ({ old, now, run, name, journal }) => {
    expect((await run('plan')).out).not.toContain('ended before it knew');
    const id = await journal();
    const { out, code } = await run('plan');
    expect(code).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toMatch(
      new RegExp(
        `An earlier run \\(${id}, [^)]*\\) ended before it knew the outcome of what it sent to ${old.url}\\. production is at ${now.url} now: this plan leaves that run alone\\.`,
      ),
    );
    expect(out.split('this plan leaves that run alone')).toHaveLength(2);
    await name(old.url);
    expect((await run('plan')).out).not.toContain('leaves that run alone');
  }));

it('a campaign is not made at another address unasked', () =>
  moved([draft(7, 'Other')], async ({ now, run }) => {
    const { code, err } = await run('apply', '--yes');
    expect(code).toBe(3);
    expect(err).toContain('[missing]');
    expect(now.writes()).toEqual([]);
    expect(await run('apply', '--yes', '--allow', 'missing')).toMatchObject({ code: 0 });
    expect(now.store.campaigns.map(({ name }) => name)).toEqual(['Other', NAME]);
  }));

it('a running campaign of the name at another address is someone else’s', () =>
  moved([{ ...same, status: 'active' }], async ({ run }) => {
    expect(
      (await run('apply', '--yes', '--allow', 'repeat-attach', '--allow', 'attach-running')).err,
    ).toContain('[adopt]');
  }));

it('a slash at the end is the same address', () =>
  moved([same], async ({ old, run, name }) => {
    await name(`${old.url}/`);
    expect((await run('plan')).out).toContain('No changes');
  }));

it('an entry that tells no address is not believed, and one that is given the new one is', () =>
  moved([same], async ({ old, now, run, name, entry }) => {
    await entry((text) => text.replaceAll(old.url, now.url));
    expect((await run('plan')).out).toContain('No changes');
    await name(now.url);
    await entry((text) => text.replace(/ *"base_url":.*\n/, ''));
    const { out } = await run('plan');
    expect(out.replace(/\s+/g, ' ')).toContain('was applied at an address that the state does not tell');
    expect(out).toContain('repeat-attach');
  }));

it('forget takes out an entry of another address once there is none of this one', () =>
  moved([same], async ({ old, now, run, name }) => {
    expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
    expect((await run('forget', String(ID), '--yes')).out).not.toContain(' at http');
    expect((await run('plan')).out).toContain(`was applied at ${old.url}`);
    expect((await run('forget', NAME, '--yes')).out).toContain(`campaign ${ID}, "${NAME}" at ${old.url} (`);
    expect((await run('plan')).out).not.toContain('was applied at');
    expect(await run('forget', String(ID), '--yes')).toMatchObject({ code: 1 });
    await name(old.url);
    expect((await run('plan')).out).toContain('repeat-attach');
    expect(now.writes()).toHaveLength(1);
  }));

const others: [string, StoredCampaign, boolean][] = [
  ['is not listed', draft(41, 'Other'), true],
  ['is listed and runs', { ...same, status: 'active' }, true],
  ['is listed and never ran', same, false],
  ['is another one now', draft(ID, 'Other'), true],
];
it.each(others)('leads of a campaign at another address that %s', (_name, live, isHazard) =>
  moved([live], async ({ old, now, run, replace, folder }) => {
    await replace();
    await writeFiles(folder, { 'campaigns/autumn.yaml': 'name: Autumn\nleads: { lists: [77] }\n' });
    const { code, err } = await run('apply', '--yes');
    expect(code).toBe(isHazard ? 3 : 0);
    if (!isHazard) return;
    const told = `Apply attaches lead list 77, which campaign ${ID} "${NAME}" has already. That campaign was applied from campaigns/spring.yaml at ${old.url}, which may be the same service, and it`;
    expect(err.replace(/\s+/g, ' ')).toContain(told);
    expect(now.writes()).toEqual([]);
    expect(await run('apply', '--yes', '--allow', 'leads-elsewhere')).toMatchObject({ code: 0 });
    expect((await run('plan')).out).toContain('No changes');
  }),
);

it('what was applied at another address and has no manifest any more is told by plan and drift', () =>
  moved([], async ({ old, now, run, name, replace }) => {
    await replace();
    const told = `The state knows 1 campaign without a manifest that was applied at ${old.url}: "${NAME}" (id ${ID}). production is at ${now.url} now: whether it runs is not known, and nothing is paused there.`;
    for (const how of [[], ['--drift']])
      expect((await run('plan', ...how)).out.replace(/\s+/g, ' ')).toContain(told);
    expect((await run('plan', 'campaigns/autumn.yaml')).out).not.toContain(NAME);
    await name(old.url);
    const there = (await run('plan')).out;
    expect(there).toContain('Without a manifest: 1 campaign');
    expect(there).not.toContain('address-changed');
  }));
