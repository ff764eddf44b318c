/** A service that shows no status: the last write counts if the project file allows that, and is named if not. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApplyResult } from '../../../src/model/outputs.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import type { Shape } from '../../support/service/shape.js';

const manifest = (status: string) => `name: Spring installers
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: ${status}
`;

/** `service`: the key of the project file that describes the service. */
function withHiddenStatus(
  service: string,
  use: (project: Project) => Promise<void>,
  shape: Partial<Shape> = {},
): Promise<void> {
  return withProject(
    { shape: { status: 'hidden', ...shape }, environment: `    service: ${service}\n` },
    use,
  );
}

/** Applies the manifest with this status, which has to end with this code; returns all that was printed. */
async function apply({ write, exits }: Project, status: string, code: number, flags = ''): Promise<string> {
  await write({ 'campaigns/spring.yaml': manifest(status) });
  const { out, err } = await exits(code, `apply --yes ${flags}`);
  return out + err;
}

/** The launches (`resume`) and pauses sent since the last call. */
const statusWrites = ({ sent }: Project) => sent().flatMap((write) => /(?:resume|pause)$/.exec(write) ?? []);

const LAUNCH = '--allow launch';
const UNCHANGED = 'plan --detailed-exitcode';

it.each(['absent', 'empty'] as const)(
  'is launched, paused and launched again, each once, and each plan afterwards is empty: %s',
  (noStatus) =>
    withHiddenStatus(
      '{ status: hidden }',
      async (project) => {
        const { exits, run } = project;
        expect(await apply(project, 'running', 0, LAUNCH)).toContain('is not confirmed');
        const plan = await exits(0, UNCHANGED);
        expect(plan.out).toContain('The plan assumes the last one that campaignctl set: running.');
        expect(await apply(project, 'paused', 0)).toContain('so the pause is not confirmed');
        await exits(0, UNCHANGED);
        expect((await run('plan --drift')).out).toContain('(the service shows no status)');
        await apply(project, 'running', 3);
        expect(statusWrites(project)).toEqual(['resume', 'pause']);
        await apply(project, 'running', 0, LAUNCH);
        expect(statusWrites(project)).toEqual(['resume']);
        await exits(0, UNCHANGED);
      },
      { noStatus },
    ),
);

it.each(['{ status: hidden }', '{}'])(
  'is not called a draft where neither the service nor the state knows its status: %s',
  (service) =>
    withHiddenStatus(service, async (project) => {
      await apply(project, 'running', service === '{}' ? 4 : 0, '--hold launch');
      await rm(join(project.folder, '.campaignctl'), { recursive: true });
      const shown = async (format: string) => (await project.run(`plan --format ${format}`)).out;
      expect(await shown('text')).toContain('status  not shown → running');
      expect(await shown('markdown')).toContain('- `not shown` → `running`');
      expect(await shown('html')).toContain('<del>not shown</del> <ins>running</ins>');
      const { campaigns } = await project.plan();
      expect(campaigns[0]?.changes.at(-1)).toEqual({
        section: 'status',
        path: '',
        kind: 'update',
        from: null,
        to: 'running',
        note: null,
        origin: null,
      });
    }),
);

it.each(['{ status: hidden }', '{}'])(
  'that only the list shows is what it shows, from the first campaign of a workspace on: %s',
  (service) =>
    withHiddenStatus(
      service,
      async (project) => {
        const { exits, live, run } = project;
        const first = await apply(project, 'paused', 0);
        await apply(project, 'running', 0, LAUNCH);
        await exits(0, UNCHANGED);
        live('Spring installers').status = 'paused';
        expect((await run('plan')).out).toContain('it was stopped outside campaignctl');
        live('Spring installers').status = 'active';
        expect(first + (await apply(project, 'paused', 0))).not.toContain('believe');
        expect(statusWrites(project)).toEqual(['resume', 'pause']);
      },
      { status: 'listed' },
    ),
);

it('is in doubt where the answer to its launch is lost: it is sent once, and again only after a pause', () =>
  withHiddenStatus('{ status: hidden }', async (project) => {
    const { exits, live, service } = project;
    await apply(project, 'running', 0, '--hold launch');
    const launch = `/api/campaigns/${live('Spring installers').id}/resume`;
    service.answerThen('PATCH', launch, { reset: true, effect: true });
    expect(await apply(project, 'running', 4, LAUNCH)).toContain('the service shows no status');
    expect(statusWrites(project)).toEqual(['resume']);
    expect((await exits(2, UNCHANGED)).out).toContain('launch-in-doubt');
    expect(await apply(project, 'running', 4, LAUNCH)).toContain('[launch-in-doubt]');
    expect(statusWrites(project)).toEqual([]);
    await apply(project, 'paused', 0);
    await apply(project, 'running', 0, LAUNCH);
    expect(statusWrites(project)).toEqual(['pause', 'resume']);
    await exits(0, UNCHANGED);
  }));

it('gets nothing that mails without the key, and the message names it', () =>
  withHiddenStatus('{}', async (project) => {
    await project.write({
      'campaigns/spring.yaml': manifest('running'),
    });
    const { out } = await project.exits(4, `apply --yes --json ${LAUNCH}`);
    const { campaigns }: ApplyResult = JSON.parse(out);
    const steps = campaigns[0]?.steps ?? [];
    expect(steps.map(({ id, result }) => `${id} ${result}`)).toEqual([
      'create done',
      'schedule done',
      'sequence failed',
      'leads/batch-1 not_run',
      'read-back not_run',
      'launch not_run',
    ]);
    expect(steps[2]?.detail).toContain('status: hidden');
    const [campaign] = (await project.plan()).campaigns;
    expect(campaign).toMatchObject({ action: 'blocked', steps: [{ id: 'sequence' }, { section: 'leads' }] });
    expect(campaign?.problems.map(({ hint }) => hint).join()).toContain('status: hidden');
    expect(statusWrites(project)).toEqual([]);
  }));
