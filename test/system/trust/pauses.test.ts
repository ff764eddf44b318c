/**
 * Histories of launches, pauses by command and by hand, lost answers, crashes and late effects: no apply with a standing
 * approval resumes a campaign that somebody stopped after its last launch was sent. `TRUST_CASES` sets the number of cases.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryRemote } from '../../support/branch.js';
import { command } from '../../support/command.js';
import { withProject } from '../../support/project.js';
import type { TestService } from '../../support/service/service.js';
import { TOKEN } from '../../support/service/service.js';
import { wireTo } from '../../support/service/wire.js';
import { BACKENDS, type BackendName, stateKeys } from '../../support/state.js';
import { Death, killer } from './killer.js';

const CASES = Number(process.env.TRUST_CASES ?? 50);
const SEED = Number(process.env.TRUST_SEED ?? 20261127);

const MANIFEST = 'name: Spring\nleads: { ids: [7] }\nstatus: running\n';
const RESUME = '/api/campaigns/101/resume';

const answer = fc.constantFrom('given', 'lost after its effect', 'lost before its effect');
const death = fc.constantFrom(null, null, 'once it is noted', 'before its outcome is noted' as const);
const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('apply' as const), answer, death }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('launch' as const), answer, death }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pause' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause by hand' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('late effect' as const) }) },
);
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

const resumes = (service: TestService) => service.writes().filter(({ path }) => path === RESUME).length;

it.each(BACKENDS)(
  `${CASES} histories from seed ${SEED}, with the state %s`,
  { timeout: 60_000 + CASES * 6_000 },
  (backend) => {
    const events = fc.array(event, { minLength: 3, maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(events, (drawn) => live(drawn, backend)),
      { numRuns: CASES, seed: SEED },
    );
  },
);

async function live(events: readonly Event[], backend: BackendName): Promise<void> {
  const remote = memoryRemote();
  await withProject(
    {
      files: { 'campaigns/spring.yaml': MANIFEST },
      environment: `    allow: [launch, no-leads]\n${stateKeys(backend)}`,
      shape: { launch: 'anything', resume: 'immediate' },
      remote,
    },
    async ({ service, folder, exits }) => {
      // A person stopped it after its last launch was sent.
      let isStopped = false;
      let isLost = false;
      const campaign = () => service.store.campaigns[0];
      const run = async (
        line: string,
        nth: number | null,
        point: 'once it is noted' | 'before its outcome is noted' | null,
      ) => {
        const way = nth === null || point === null ? {} : { store: killer(point, nth).store };
        const wire = wireTo(service, service.url);
        const env = { CAMPAIGNS_TOKEN: TOKEN };
        await command(folder, line.split(' '), env, undefined, {
          wire,
          openBranch: remote.open,
          ...way,
        }).catch(async (error: unknown) => {
          if (!(error instanceof Death)) throw error;
          // Its process lives on, so its lock does, too.
          await exits(0, 'unlock --yes');
        });
      };
      for (const each of [...events, { do: 'apply', answer: 'given', death: null } as const]) {
        const before = resumes(service);
        switch (each.do) {
          case 'apply':
          case 'launch': {
            if (each.answer !== 'given')
              service.answerThen('PATCH', RESUME, {
                reset: true,
                effect: each.answer === 'lost after its effect',
              });
            const approval = each.do === 'launch' ? ' --allow launch' : '';
            // The first run creates the campaign and attaches its leads before the launch.
            const nth = campaign() === undefined ? 3 : 1;
            await run(`apply --yes${approval}`, nth, each.death);
            service.calm();
            const sent = resumes(service) - before;
            if (each.do === 'apply')
              expect({ each, isStopped, sent: isStopped ? sent : 0 }).toMatchObject({ sent: 0 });
            if (sent > 0) {
              isStopped = false;
              isLost = each.answer === 'lost before its effect';
            }
            break;
          }
          case 'pause': {
            await run('pause --all --yes', null, null);
            const [last] = service.writes().slice(-1);
            if (last?.path.endsWith('/pause') === true) [isStopped, isLost] = [true, false];
            break;
          }
          case 'pause by hand':
            if (campaign()?.status === 'active') {
              Object.assign(campaign() ?? {}, { status: 'paused' });
              isStopped = true;
            }
            break;
          case 'late effect':
            if (isLost && !isStopped) Object.assign(campaign() ?? {}, { status: 'active' });
            isLost = false;
        }
      }
      expect(service.violations).toEqual([]);
    },
  );
}
