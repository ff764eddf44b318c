/** Campaign 42, to which an apply sends requests while people and other runs change the service. */
import { type LiveParts, NOT_READ } from '../../src/model/live.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import { draft } from '../support/service/store.js';
import { applying, becomes, entry42, KNOWN, LIVE_SCHEDULE, NAME, SCHEDULE, SEQUENCE } from './spring.js';

export const LAUNCH: Partial<CampaignSpec> = { schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' };

export interface Given {
  spec: Partial<CampaignSpec>;
  others?: string[];
  planned?: 'known' | 'unknown' | 'new';
  before?: (service: Service) => void;
  /** Acts on the service during waits of more than five seconds. */
  meanwhile?: (service: Service) => void;
  begun?: (service: Service) => void;
  /** Campaign 41 is a draft in the state with list 5. It has no manifest, or one that also launches it. */
  holder?: 'removed' | 'launched';
  /** Only the list shows statuses. */
  recordHides?: boolean;
  /** List rows show only ids and names. */
  bareRows?: boolean;
  /** Records show lead counts. */
  totals?: 'hidden' | 'shown';
  /** What a campaign needs before the service launches it. */
  resume?: 'complete' | 'anything';
  service?: Partial<ReturnType<typeof environment>['service']>;
}

/** Applies one manifest. Returns its step outcomes and each request after the first write. */
export async function apply({
  spec,
  others = [],
  planned = 'known',
  before,
  meanwhile,
  begun,
  holder,
  recordHides = false,
  bareRows = false,
  totals = 'hidden',
  resume = 'complete',
  service: habits,
}: Given) {
  const campaigns = planned === 'new' ? [] : [draft(42, NAME)];
  if (holder !== undefined) campaigns.push({ ...draft(41, 'Winter'), lists: [5] });
  const shape = { rows: bareRows ? 'id-name' : 'whole', totals, launch: resume } as const;
  return applying({ shape, campaigns }, async (at) => {
    const { service, state } = at;
    before?.(service);
    if (planned === 'known') await state.save({ ...entry42(), manifest: '0.yaml' });
    const recorded = { ...KNOWN, attached: { lists: [5], ids: [] } };
    if (holder !== undefined) await state.save({ id: 41, manifest: 'winter.yaml', name: 'Winter', recorded });
    const names = [NAME, ...others, ...(holder === 'launched' ? ['Winter'] : [])];
    const clock = fakeClock();
    const { campaigns: outcomes, result } = await at.apply(spec, {
      environment: environment(habits),
      campaigns: names.map((name, at) => campaign(`${at}.yaml`, { name, ...spec })),
      clock: {
        ...clock,
        sleep(ms, signal) {
          if (ms > 5_000) meanwhile?.(service);
          return clock.sleep(ms, signal);
        },
      },
      emit: () => service.writes().length === 0 && begun?.(service),
      service: (real) => ({
        ...real,
        async read(name, id) {
          const part = await real.read(name, id);
          if (name === 'campaign' && recordHides) hideStatus(part as LiveParts['campaign']);
          return part;
        },
      }),
    });
    const steps = outcomes[0]?.steps.map(({ id, result, detail }) => [id, result, detail]);
    const first = service.requests.findIndex(({ method }) => method !== 'GET');
    const requests = service.requests
      .slice(first)
      .map(({ method, path, status }) => `${method} ${path} ${status}`);
    const last = steps?.filter(([, result]) => result !== 'not_run').at(-1);
    return { result, last, steps, requests };
  });
}

function hideStatus(record: LiveParts['campaign']): void {
  if (record.is === 'shown') Object.assign(record.value, { status: NOT_READ });
}

/** The service is busy the first times, so that the request waits for 45 seconds. */
export const busy =
  (method: string, path: string, times = 1) =>
  (service: Service) => {
    for (let time = 0; time < times; time++)
      service.answerThen(method, `/api/campaigns/${path}`.replace(/\/$/, ''), {
        ...{ status: 429, body: { message: 'slow down', retry_after: 45 }, effect: false },
      });
  };

export const addNamesake =
  (name: string) =>
  ({ store }: Service) =>
    void store.campaigns.push(draft(900, name));

export const UPDATE = { settings: { plain_text: true }, schedule: SCHEDULE, sequence: SEQUENCE };
export const CAP = { settings: { max_emails_per_day: 1200 } };

export const unsubscribable = ({ store }: Service) => {
  for (const { settings } of store.campaigns)
    Object.assign(settings, { can_unsubscribe: true, unsubscribe_text: 'Stop' });
};

export const scheduled =
  (more: object) =>
  ({ store }: Service) => {
    for (const campaign of store.campaigns) campaign.schedule = { ...LIVE_SCHEDULE, ...more };
  };

export const switchedOff = ({ store }: Service) => {
  for (const { steps } of store.campaigns) for (const step of steps) step.active = false;
};

export const MANY = Array.from({ length: 501 }, (_, at) => 1001 + at);

export const ATTACH: Given = {
  spec: { leads: { ids: [1001] } },
  before: busy('POST', '42/leads/attach-leads'),
  meanwhile: becomes('active'),
};

/** The service gives the new campaign a schedule. */
export const LAUNCH_NEW: Given = {
  spec: { sequence: SEQUENCE, status: 'running' },
  planned: 'new',
  before(service) {
    service.behave({ schedule: LIVE_SCHEDULE }, () => 0);
    busy('PATCH', '101/resume')(service);
  },
};

export const UNSUBSCRIBE = {
  fields: ['settings.can_unsubscribe', 'settings.unsubscribe_text'],
  isCreated: false,
};

const EMAIL = { wait_in_days: 1, thread_reply: false, email_body: 'Hello' };
export const email = (email_subject: string) => ({ ...EMAIL, email_subject });
export const shownEmail = (id: number, email_subject: string, parent: number | null = null) => ({
  ...email(email_subject),
  ...{ id, order: parent === null ? id : null, variant: parent !== null, variant_from_step: parent },
});

export const emailed =
  (...more: ReturnType<typeof shownEmail>[]) =>
  ({ store }: Service) => {
    for (const campaign of store.campaigns)
      Object.assign(campaign, { title: 'Spring', steps: structuredClone(more) });
  };
