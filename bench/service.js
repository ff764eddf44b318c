// A plain service in memory for measuring: the documented answers, nothing slow, every request noted.
import { createServer } from 'node:http';

const campaigns = new Map();
let requests = [];
let nextId = 1;

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    requests.push([incoming.method, incoming.url, text]);
    const bytes = Buffer.from(
      JSON.stringify(answer(incoming.method, incoming.url, text && JSON.parse(text))),
    );
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    outgoing.end(bytes);
  });
});

function answer(method, url, body) {
  const [, , , id, part] = url.split('?')[0].split('/');
  if (id === undefined) return method === 'POST' ? create(body) : list(url);
  const campaign = campaigns.get(Number(id));
  if (campaign === undefined) return { success: false, message: 'not found' };
  if (part === undefined) return { data: campaign.record };
  if (part === 'update') return { data: Object.assign(campaign.record, body) };
  if (part === 'resume' || part === 'pause')
    return { data: Object.assign(campaign.record, { status: part === 'pause' ? 'paused' : 'active' }) };
  if (part === 'schedule') {
    if (method === 'POST') campaign.schedule = body;
    return { data: campaign.schedule };
  }
  if (part === 'sequence-steps' && method === 'GET') return { data: campaign.steps };
  if (part === 'sequence-steps') return { data: addSteps(campaign, body.sequence_steps) };
  return { data: { success: true } };
}

function create({ name }) {
  const id = nextId++;
  const record = {
    id,
    name,
    status: 'draft',
    max_emails_per_day: 1000,
    max_new_leads_per_day: 1000,
    plain_text: false,
    open_tracking: false,
    reputation_building: false,
    can_unsubscribe: false,
    unsubscribe_text: null,
  };
  campaigns.set(id, { record, schedule: null, steps: [] });
  return { data: record };
}

function list(url) {
  const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
  const all = [...campaigns.values()].map(({ record }) => record);
  const size = 100;
  const last = Math.max(1, Math.ceil(all.length / size));
  return {
    data: all.slice((page - 1) * size, page * size),
    meta: { current_page: page, last_page: last, total: all.length },
  };
}

function addSteps(campaign, steps) {
  for (const step of steps)
    campaign.steps.push({ id: nextId++, order: null, variant: false, variant_from_step: null, ...step });
  return campaign.steps;
}

process.on('message', (message) => {
  if (message === 'requests') process.send(requests);
  if (message === 'forget') requests = [];
  if (message === 'empty') campaigns.clear();
  if (message === 'forget' || message === 'empty') process.send(message);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
