import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft, type StoredCampaign } from '../../support/service/store.js';

const NAME = 'Spring installers';
const STATE = '.campaignctl/state/production/42.json';

interface At {
  old: TestService;
  now: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
  /** Makes the environment name this address. */
  name(url: string): Promise<void>;
  /** The state file, and another text for it. */
  entry(change?: (text: string) => string): Promise<string>;
  /** Takes the end from the journal of the run, as if it had died; gives the run's name. */
  journal(): Promise<string>;
}

/** A campaign with list 77, applied to one service; then the environment names another one, which holds these campaigns. */
async function moved(campaigns: StoredCampaign[], use: (at: At) => Promise<void>): Promise<void> {
  const old = await startService(shaped({}), { campaigns: [draft(42, NAME)], templates: [] });
  const now = await startService(shaped({}), { campaigns, templates: [] });
  try {
    await withFolder(async (folder) => {
      const name = (url: string) =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }\n`,
        });
      const run = (...argv: string[]) => command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN });
      await name(old.url);
      await writeFiles(folder, { 'campaigns/spring.yaml': `name: ${NAME}\nleads: { lists: [77] }\n` });
      expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
      await name(now.url);
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
      await use({ old, now, run, name, entry, journal });
    });
  } finally {
    await Promise.all([old.close(), now.close()]);
  }
}

const same = draft(42, NAME);

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
    expect(JSON.parse(await entry())).toMatchObject({ base_url: now.url });
    expect((await run('plan')).out).not.toContain('was applied at');
    // The id is the same there: what was known of the first service is not, once it is named again.
    await name(old.url);
    expect((await run('plan')).out).toContain('repeat-attach');
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

it('forget takes out an entry of another address, too', () =>
  moved([same], async ({ run }) => {
    expect(await run('forget', '42', '--yes')).toMatchObject({ code: 0 });
    expect((await run('plan')).out).not.toContain('was applied at');
  }));
