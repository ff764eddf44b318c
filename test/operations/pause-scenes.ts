/** States of a campaign, and faults of the list, the record and the request, while it is paused. */
import { expect } from 'vitest';
import type { Remote } from '../support/branch.js';
import { type Project, withProject } from '../support/project.js';
import { type Fault, type TestService, TOKEN } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft } from '../support/service/store.js';
import { type BackendName, keepOnBranch, stateKeys } from '../support/state.js';

const LIST = '/api/campaigns';
const RECORD = '/api/campaigns/1';
export const PAUSE = '/api/campaigns/1/pause';
const SENDING = /^(active|queued|warming)$/;

/** `known`: an apply has recorded the campaign before. */
interface State {
  status: string;
  shape?: Partial<Shape>;
  known?: boolean;
}

const STATES: Record<string, State> = {
  'a draft': { status: 'draft' },
  'a draft that the state knows': { status: 'draft', known: true },
  active: { status: 'active' },
  'active and known': { status: 'active', known: true },
  'being launched': { status: 'queued' },
  paused: { status: 'paused', known: true },
  'of an unknown status': { status: 'warming', known: true },
  failed: { status: 'failed' },
  finished: { status: 'completed' },
  archived: { status: 'archived' },
  'active without a status': { status: 'active', shape: { status: 'hidden' } },
  'active with a status only in the list': { status: 'active', shape: { status: 'listed' } },
};

const down: Fault = { status: 500, body: { message: 'down' }, effect: false };
const reply = (body: object, status = 200): Fault => ({ status, body: body as never, effect: false });

/** `isStoppable`: the request takes effect. */
const FAULTS: Record<string, { at: [method: string, path: string, fault: Fault][]; isStoppable?: false }> = {
  none: { at: [] },
  'the list is down': { at: [['GET', LIST, down]] },
  'the list lacks it': { at: [['GET', LIST, reply({ data: [{ id: 9, name: 'Other', status: 'draft' }] })]] },
  'the list calls it a draft': {
    at: [['GET', LIST, reply({ data: [{ id: 1, name: 'Spring', status: 'draft' }] })]],
  },
  'the list has an odd row': {
    at: [['GET', LIST, reply({ data: [{ id: 1, name: 'Spring' }, { id: 'x' }] })]],
  },
  'the record is down': { at: [['GET', RECORD, down]] },
  'the record is missing': { at: [['GET', RECORD, reply({ message: 'none' }, 404)]] },
  'the record shows no status': { at: [['GET', RECORD, reply({ data: { id: 1, name: 'Spring' } })]] },
  'nothing can be read': {
    at: [
      ['GET', LIST, down],
      ['GET', RECORD, down],
    ],
  },
  'the request is forbidden': { at: [['PATCH', PAUSE, reply({ message: 'no' }, 403)]], isStoppable: false },
  'the request is not found': { at: [['PATCH', PAUSE, reply({ message: 'no' }, 404)]], isStoppable: false },
  'the request is refused': { at: [['PATCH', PAUSE, reply({ message: 'no' }, 422)]], isStoppable: false },
  'the answer is lost after its effect': { at: [['PATCH', PAUSE, { reset: true, effect: true }]] },
  'the request has no effect': {
    at: [['PATCH', PAUSE, reply({ data: { success: true } })]],
    isStoppable: false,
  },
};

export const CASES = Object.keys(STATES).flatMap((state) =>
  Object.keys(FAULTS).map((fault) => [state, fault] as const),
);

function strike(service: TestService, fault: string): void {
  for (const [method, path, answer] of FAULTS[fault]?.at ?? [])
    for (let times = 0; times < 300; times += 1) service.answerThen(method, path, answer);
}

export async function pausesTruly(
  { service, run }: Pick<Project, 'service' | 'run'>,
  state: State,
  fault: string,
): Promise<void> {
  const spring = () => service.store.campaigns[0];
  const wasSending = SENDING.test(spring()?.status ?? '');
  strike(service, fault);
  const { code, out } = await run('pause Spring --yes');
  const isSending = SENDING.test(spring()?.status ?? '');
  const told = { isSending, said: out.includes('✓ Spring') };
  // Where nothing shows a status, an accepted request that is ignored cannot be told from one that works.
  const isBlind = fault === 'the request has no effect' && state.shape?.status === 'hidden';
  if (isSending && !isBlind) expect(told, out).toMatchObject({ said: false });
  if (isSending && !isBlind) expect(code, out).not.toBe(0);
  const isFound =
    !['the list is down', 'the list lacks it', 'nothing can be read'].includes(fault) || state.known === true;
  if (wasSending && isFound && FAULTS[fault]?.isStoppable !== false) expect(isSending, out).toBe(false);
}

export interface SceneOptions {
  state: State;
  backend: BackendName;
  /** Keeps a state on a branch; default: git. */
  remote?: Remote;
}

export function scene(
  { state: { status, shape, known = false }, backend, remote }: SceneOptions,
  use: (project: Project) => Promise<void>,
) {
  return withProject(
    {
      campaigns: [{ ...draft(1, 'Spring'), status: known && status !== 'draft' ? 'active' : status }],
      files: { 'campaigns/spring.yaml': 'name: Spring\nstatus: running\n' },
      environment: stateKeys(backend),
      shape: { launch: 'anything', ...shape },
      // It connects twice: over HTTP.
      variables: { CAMPAIGNS_TOKEN: TOKEN },
      ...(remote && { remote }),
    },
    async (project) => {
      if (backend === 'on a branch' && remote === undefined) keepOnBranch(project.folder);
      if (known) {
        await project.exits(0, `apply --yes${status === 'draft' ? ' --hold launch' : ' --allow adopt'}`);
        const [spring] = project.service.store.campaigns;
        if (spring !== undefined) spring.status = status;
      }
      await use(project);
    },
  );
}

/** With git, fewer. Every state and every fault occurs on a branch, too: 3 does not divide the number of faults. */
export function casesOn(backend: BackendName): typeof CASES {
  const isDeep = process.env.TRUST_CASES !== undefined || backend === 'in a folder';
  return CASES.filter((_, index) => isDeep || index % 3 === 0);
}

export function stateOf(name: string): State {
  const state = STATES[name];
  if (state === undefined) throw new Error('no such state');
  return state;
}
