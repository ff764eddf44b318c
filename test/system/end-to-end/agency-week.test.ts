/** A week of an agency. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ended, writeFiles } from '../../support/command.js';
import { git } from '../../support/repository.js';
import type { TestService } from '../../support/service/service.js';
import { active, draft } from '../../support/service/store.js';
import {
  type Client,
  campaignOf,
  changedOf,
  isLiteral,
  NEW_SEQUENCE,
  SUMMER,
  week,
} from './twelve-clients.js';

const named = ({ store }: TestService, name: string) =>
  store.campaigns.find((campaign) => campaign.name === name);
const copyOf = (service: TestService, name: string) =>
  named(service, name)?.steps.map(({ email_body }) => email_body);
const statuses = ({ production }: Client) =>
  Object.fromEntries(production.store.campaigns.map(({ name, status }) => [name, status]));
const expectDone = ({ code, out, err }: Ended) => expect(code, `${out}${err}`).toBe(0);
const codesOf = ({ out }: Ended): number[] =>
  JSON.parse(out).projects.map(({ exit_code }: { exit_code: number }) => exit_code);

test('a week of an agency with twelve clients', { timeout: 600_000 }, () =>
  week(async ({ clients, folder, run, on, clone, commit }) => {
    const [first, second, third, , fifth] = clients;
    if (!first || !second || !third || !fifth) throw new Error('clients are missing');
    const write = (manifest: (client: Client) => string) =>
      writeFiles(
        folder,
        Object.fromEntries(
          clients.map((client) => [`clients/${client.name}/campaigns/autumn.yaml`, manifest(client)]),
        ),
      );
    const toStaging = ['apply', '--recursive', '--env', 'staging', '--yes'];
    const toProduction = ['apply', '--recursive', '--env', 'production', '--yes', '--json'];
    const each = <Value>(value: Value) => clients.map(() => value);

    // Monday: what runs already is imported, its plan is empty, and staging gets it without a launch.
    for (const [at, { name, production }] of clients.entries()) {
      const summer = isLiteral(at) ? draft(1, `${name} summer`) : active(1, `${name} summer`);
      production.store.campaigns.push({ ...summer, settings: { ...summer.settings, ...SUMMER } });
    }
    expectDone(await run('import', '--all', '--recursive', '--env', 'production'));
    commit('Import');
    const empty = await run('plan', '--recursive', '--env', 'production', '--detailed-exitcode');
    expect([empty.code, empty.out]).toEqual([0, expect.stringContaining('12 projects: 12 planned')]);
    expectDone(await run(...toStaging, '--hold', 'launch'));
    expect(clients.map(({ name, staging }) => named(staging, `${name} summer`)?.status)).toEqual(
      each('draft'),
    );
    const staged = [...toStaging, '--allow', 'launch', '--hold', 'launch=* summer'];

    // Tuesday: a new campaign for every client, first in staging.
    await write(({ name }) => campaignOf(name));
    commit('Autumn');
    const valid = await run('validate', '--recursive');
    expectDone(valid);
    expect(valid.out.trim().split('\n'), valid.out).toHaveLength(1);
    expect(codesOf(await run(...toProduction, '--allow', 'launch'))).toEqual(each(3));
    expectDone(await run(...staged));

    // Wednesday: production gets everything, one client is launched, then all.
    expectDone(await run('apply', '--recursive', '--env', 'production', '--yes', '--hold', 'launch'));
    expect(clients.map((client) => statuses(client)[`${client.name} autumn`])).toEqual(each('draft'));
    const one = `launch=clients/${first.name}: ${first.name} autumn`;
    const launched = await run(...toProduction, '--allow', one);
    expect(codesOf(launched)).toEqual([0, ...clients.slice(1).map(() => 3)]);
    expectDone(await run(...toProduction, '--allow', 'launch'));
    expect(clients.map((client) => statuses(client)[`${client.name} autumn`])).toEqual(each('active'));

    // Thursday: the copy changes. Staging gets it, then production, where the old campaigns stop first.
    await writeFiles(folder, { 'shared/one-question-2.yaml': NEW_SEQUENCE });
    await write(({ name }) => changedOf(name));
    commit('New copy');
    expectDone(await run('validate', '--recursive'));
    const replace = ['--allow', 'launch', '--allow', 'shared-leads'];
    const before = clients.map(({ production }) => production.writes().length);
    const unpromoted = await run(...toProduction, ...replace);
    expect(codesOf(unpromoted)).toEqual(each(3));
    expect(unpromoted.out).toContain('not-promoted');
    expect(clients.map(({ production }) => production.writes().length)).toEqual(before);
    expectDone(await run(...staged, '--allow', 'shared-leads'));
    const shown = await run('plan', '--recursive', '--env', 'production');

    expect(shown.out).toContain('Just a short reply, {FIRST_NAME}?');
    expectDone(await run(...toProduction, ...replace));
    expect(clients.map(statuses)).toEqual(
      clients.map(({ name }, at) => ({
        [`${name} summer`]: isLiteral(at) ? 'draft' : 'active',
        [`${name} autumn`]: 'paused',
        [`${name} autumn v2`]: 'active',
      })),
    );
    for (const { name, staging, production } of clients)
      for (const service of [staging, production])
        expect(copyOf(service, `${name} autumn v2`)).toEqual([
          ...['Hi {FIRST_NAME}, is this a good week to talk?', 'Just a short reply, {FIRST_NAME}?'],
        ]);
    expectDone(await run(...toProduction));

    // Friday: a list has grown, a cap is too high, and mail bounces.
    // One of these services shows the status and the number of leads, the other one does not.
    const grown = [second, fifth];
    const refilled = { leads: '{ lists: [{ list: 7, refill: 2026-03-02 }] }' };
    await writeFiles(folder, {
      ...Object.fromEntries(
        grown.map(({ name }) => [`clients/${name}/campaigns/autumn.yaml`, changedOf(name, refilled)]),
      ),
      [`clients/${third.name}/campaigns/autumn.yaml`]: changedOf(third.name, { cap: 900 }),
    });
    commit('Refill and raise');
    const attach = ['attach-running', 'repeat-attach', 'shared-leads'].flatMap((hazard) => [
      '--allow',
      hazard,
    ]);
    expectDone(await run(...staged, ...attach));
    const asked = await run(...toProduction);
    expect(codesOf(asked)).toEqual(clients.map((client) => ([...grown, third].includes(client) ? 3 : 0)));
    expect(asked.out).toContain('attach-running');
    expect(asked.out).toContain('over-capacity');
    for (const { name, production } of [...grown, ...grown]) {
      expectDone(await run('apply', '-C', `clients/${name}`, '--env', 'production', '--yes', ...attach));
      expect(named(production, `${name} autumn v2`)?.lists).toEqual([7, 7]);
    }
    const check = () => run('list', '--recursive', '--env', 'production', '--check');
    expectDone(await check());
    const bouncing = named(fifth.production, `${fifth.name} autumn v2`);
    if (bouncing === undefined) throw new Error('the campaign was not created');
    bouncing.counters = { emails_sent: 1000, bounced: 90 };
    const checked = await check();
    expect([checked.code, checked.out]).toEqual([2, expect.stringMatching(/client-05[\s\S]*9%/)]);

    // Two machines apply at once. For each client, at least one of them succeeds, and each request is sent once.
    await write((client) => changedOf(client.name, { cap: 80, ...(grown.includes(client) ? refilled : {}) }));
    commit('Lower');
    expectDone(await run(...staged));
    const written = clients.map(({ production }) => production.writes().length);
    const both = await Promise.all([folder, clone()].map((machine) => on(machine, ...toProduction)));
    const codes = clients.map((_, at) => both.map((ended) => codesOf(ended)[at]).sort());
    expect(codes.map(([best]) => best)).toEqual(each(0));
    expect(codes.flat().filter((code) => code !== 0 && code !== 1)).toEqual([]);
    expect(clients.map(({ production }) => production.writes().length)).toEqual(
      written.map((count) => count + 1),
    );
    for (const client of clients) {
      const { settings, lists, steps } = named(client.production, `${client.name} autumn v2`) ?? {};
      expect([settings?.max_emails_per_day, lists, steps?.length]).toEqual([
        80,
        grown.includes(client) ? [7, 7] : [7],
        2,
      ]);
    }

    // A folder is deleted while its campaigns run: every report names it, and no stop is complete until it is back.
    await rm(join(folder, 'clients', first.name), { recursive: true });
    commit('A client leaves');
    const lost = `${first.name}: no project file any more`;
    for (const view of ['list', 'plan'])
      expect((await run(view, '--recursive', '--env', 'production')).out).toContain(lost);
    const partly = await run('pause', '--all', '--recursive', '--yes');
    expect(partly.code, partly.out).toBe(4);
    for (const environment of ['staging', 'production'])
      expect(partly.out).toContain(lost.replace(':', ` (${environment}):`));
    git(folder, 'checkout', '-q', 'HEAD^', '--', `clients/${first.name}`);
    commit('A client still sends');
    expectDone(await run('pause', '--all', '--recursive', '--yes'));
    const areStopped = () => {
      for (const { production, staging } of clients)
        for (const { name, status } of [production, staging].flatMap(({ store }) => store.campaigns))
          expect([name, status]).toEqual([name, expect.stringMatching(/^(?:draft|paused)$/)]);
    };
    areStopped();
    expect(codesOf(await run(...toProduction))).toEqual(each(3));
    areStopped();
  }),
);
