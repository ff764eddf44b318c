import { describe, expect, it } from 'vitest';
import type { Finding, Path, Place } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

const place = (path: Path, text: string | null = null, file = 'campaigns/spring.yaml'): Place => ({
  file,
  document: 0,
  path,
  target: 'value',
  text,
});
const findings = (spec: CampaignSpec): Finding[] => applyRules([subject(spec)], environment()).findings;
const places = (spec: CampaignSpec) =>
  findings(spec).map(({ code, severity, place: { path, text } }) => [
    `${severity} ${code}`,
    path.join('.'),
    text,
  ]);
const named = (rest: Omit<CampaignSpec, 'name'>): CampaignSpec => ({ name: 'Spring installers', ...rest });

describe('steps', () => {
  it('a thread reply whose subject starts with Re: is found on steps and on variants that take it from their step', () => {
    const variants = [
      { email_subject: 're : hello', email_body: '<p>b</p>' },
      { email_subject: 'Re: not a reply', email_body: '<p>c</p>', thread_reply: false },
    ];
    const spec = mailing({}, { email_subject: 'RE: A question', thread_reply: true, variants });
    expect(places(spec)).toEqual([
      ['error reply-subject-prefix', 'sequence.steps.1.email_subject', 'RE:'],
      ['error reply-subject-prefix', 'sequence.steps.1.variants.0.email_subject', 're :'],
    ]);
  });

  it('a first step that is a thread reply is found where it is written', () => {
    const variants = [
      { email_subject: 'b', email_body: '<p>b</p>' },
      { email_subject: 'c', email_body: '<p>c</p>', thread_reply: true },
    ];
    expect(places(mailing({ thread_reply: true, variants }, { thread_reply: true }))).toEqual([
      ['error reply-first-step', 'sequence.steps.0.thread_reply', null],
      ['error reply-first-step', 'sequence.steps.0.variants.1.thread_reply', null],
    ]);
  });

  it('a wait under one day is found on steps and variants', () => {
    const variants = [{ email_subject: 'b', email_body: '<p>b</p>', wait_in_days: -1 }];
    expect(places(mailing({ wait_in_days: 1 }, { wait_in_days: 0, variants }))).toEqual([
      ['error wait-too-short', 'sequence.steps.1.wait_in_days', null],
      ['error wait-too-short', 'sequence.steps.1.variants.0.wait_in_days', null],
    ]);
  });

  it('replies with clean subjects and waits of a day are fine, and so is a subject that merely begins with re', () => {
    expect(
      findings(mailing({ wait_in_days: 1 }, { email_subject: 'Regarding roofs', thread_reply: true })),
    ).toEqual([]);
  });
});

describe('plain text and HTML', () => {
  const plain = (body: string, plain_text: boolean | null = true): CampaignSpec => ({
    ...mailing({ email_body: body }),
    settings: { plain_text },
  });
  const BODY = 'sequence.steps.0.email_body';

  it.each([
    ['Hi,<br>you', '<br>'],
    ['Hi <a\n  href="https://example.com">you</a>', '<a\n  href="https://example.com">'],
    ['Hi&nbsp;you', '&nbsp;'],
    ['</P>', '</P>'],
    ['<img alt="1 > 0">', '<img alt="1 > 0">'],
    ['<bird> &#8211; <b>', '&#8211;'],
  ])('%j is HTML in a plain-text email', (body, tag) => {
    expect(places(plain(body))).toEqual([['warning html-in-plain-text', BODY, tag.split('\n')[0]]]);
  });

  it.each(['See <https://example.com>', 'Write to <ana@example.com>', '1 < 2 > 0, AT&T', 'a <bird> & b'])(
    '%j is no HTML',
    (body) => {
      expect(findings(plain(`${body}\n\nAna`))).toEqual([]);
    },
  );

  it.each([
    ['Hi,\n\nworth a look?', false],
    ['Hi,\nworth a look?\n', null],
    ['Hi <b>you</b>,\r\nworth a look?', false],
    ['Hi,\nsee <https://example.com>', false],
    ['Hi,\n<!-- <br> --><b title="<p>">you</b>', false],
  ])('the lines of %j run together when plain_text is %s', (body, plain_text) => {
    expect(places(plain(body, plain_text))).toEqual([['warning paragraphs-without-html', BODY, null]]);
  });

  it.each([
    'Worth a look?\n',
    '\n  Worth a look?  \n\n',
    '<p>Hi,</p>\n<p>worth a look?</p>\n',
    'Hi,<br/>\nyou',
  ])('the lines of %j do not', (body) => {
    expect(findings(mailing({ email_body: body }))).toEqual([]);
  });
});

describe('settings', () => {
  it.each<[NonNullable<CampaignSpec['settings']>, string[]]>([
    [{ can_unsubscribe: true }, ['unsubscribe-without-text can_unsubscribe']],
    [{ can_unsubscribe: true, unsubscribe_text: null }, ['unsubscribe-without-text unsubscribe_text']],
    [{ can_unsubscribe: true, unsubscribe_text: ' ' }, ['unsubscribe-without-text unsubscribe_text']],
    [{ can_unsubscribe: false, unsubscribe_text: 'Bye' }, ['unsubscribe-text-unused unsubscribe_text']],
    [{ can_unsubscribe: null, unsubscribe_text: 'Bye' }, ['unsubscribe-text-unused unsubscribe_text']],
    [{ unsubscribe_text: 'Bye' }, ['unsubscribe-text-unused unsubscribe_text']],
    [{ can_unsubscribe: true, unsubscribe_text: 'Bye' }, []],
    [{ can_unsubscribe: false, unsubscribe_text: '' }, []],
    [
      { max_emails_per_day: 100, max_new_leads_per_day: 101 },
      ['new-leads-above-emails max_new_leads_per_day'],
    ],
    [{ max_emails_per_day: 100, max_new_leads_per_day: 100 }, []],
    [{ max_emails_per_day: null, max_new_leads_per_day: 5000 }, []],
    [{ max_new_leads_per_day: 5000 }, []],
    [{ max_emails_per_day: 50 }, []],
  ])('%j', (settings, expected) => {
    const flaws = places(named({ settings })).map(([code, path]) => `${code} ${path}`);
    expect(flaws).toEqual(expected.map((flaw) => `warning ${flaw.replace(' ', ' settings.')}`));
  });
});

describe('schedule', () => {
  const days: ('monday' | 'friday')[] = ['monday', 'friday'];
  it.each<[NonNullable<CampaignSpec['schedule']>, string[]]>([
    [{ days, start_time: '17:00', end_time: '09:00', timezone: 'Europe/Paris' }, ['schedule.end_time']],
    [{ days, start_time: '09:00', end_time: '09:00', timezone: 'Europe/Paris' }, ['schedule.end_time']],
    [{ days: [], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' }, ['schedule.days']],
    [{ days, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' }, []],
    [{ template: 'office-hours' }, []],
  ])('%j', (schedule, paths) => {
    expect(places(named({ schedule }))).toEqual(
      paths.map((path) => ['error empty-sending-window', path, null]),
    );
  });
});

describe('campaigns side by side', () => {
  const french = environment({ lead_lists: { 'installers-fr': 77 } });

  it('the same name twice is found at the later ones and names the first', () => {
    const campaigns = [
      subject({ name: 'Spring' }, 'campaigns/a.yaml'),
      subject({ name: 'Summer' }, 'campaigns/a.yaml#2'),
      subject({ name: 'Spring', id: 42 }, 'campaigns/b.yaml'),
    ];
    expect(applyRules(campaigns, french).findings).toEqual([
      {
        code: 'duplicate-name',
        severity: 'error',
        message: '"Spring" is already the name in campaigns/a.yaml: both would be the same campaign.',
        hint: 'Give one of them a different name, or pin both with the id of their live campaign.',
        place: place(['name'], null, 'campaigns/b.yaml'),
      },
    ]);
  });

  it.each([
    ['a no-break space', 'Sale 5 000', 'Sale 5\u00a0000'],
    ['a narrow one', 'Sale 5 000', 'Sale 5\u202f000'],
    ['case', 'Spring', 'SPRING'],
    ['composed letters', 'Caf\u00e9', 'Cafe\u0301'],
    ['a hidden character', 'Spring', 'Spr\u200bing'],
  ])('names that differ in %s only are found at each place', (_, one, other) => {
    const campaigns = [
      subject({ name: one }, 'campaigns/a.yaml'),
      subject({ name: other }, 'campaigns/b.yaml'),
    ];
    const found = applyRules(
      [...campaigns, subject({ name: 'Summer' }, 'campaigns/c.yaml')],
      french,
    ).findings;
    const alike = found.filter(({ code }) => code === 'alike-names');
    expect(alike.map(({ message, place: at }) => [at, message])).toEqual(
      [
        ['a', one, 'b', other],
        ['b', other, 'a', one],
      ].map(([file, name, second, reads]) => [
        place(['name'], null, `campaigns/${file}.yaml`),
        `"${name}" looks like the name in campaigns/${second}.yaml ("${reads}"): they differ only in case, spaces, hidden characters or Unicode composition.`,
      ]),
    );
  });

  it('the same id twice is found, and their names do not matter', () => {
    const campaigns = [
      subject({ name: 'Spring', id: 42 }, 'campaigns/all.yaml#2'),
      subject({ name: 'Spring', id: 43 }, 'campaigns/b.yaml'),
      subject({ name: 'Spring', id: 42 }, 'campaigns/c.yaml'),
    ];
    expect(applyRules(campaigns, french).findings).toEqual([
      {
        code: 'duplicate-id',
        severity: 'error',
        message: 'Campaign 42 is already managed by campaigns/all.yaml#2 ("Spring").',
        hint: 'Remove the id from one of them, or merge the two manifests.',
        place: place(['id'], null, 'campaigns/c.yaml'),
      },
    ]);
  });

  it('shared leads are found at each campaign that is not paused, those of the same campaigns together', () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const campaigns = [
      subject({ name: 'Spring', status: 'running', leads: { lists: [77, 78], ids } }, 'a.yaml'),
      subject(
        { name: 'Summer', leads: { lists: [79, 'installers-fr'], ids: [9, ...ids.slice(1)] } },
        'b.yaml',
      ),
      subject({ name: 'Autumn', status: 'running', leads: { lists: [78], ids: [9] } }, 'c.yaml'),
      subject({ name: 'Winter', status: 'paused', leads: { lists: [77], ids } }, 'd.yaml'),
    ];
    const flaws = applyRules(campaigns, french).findings.map(({ code, severity, message, place: at }) => [
      `${severity} ${code}`,
      `${at.file} ${at.path.join('.')}`,
      // The leads and the campaigns that the sentence names.
      ...(message.match(/\b\d+\b|[a-d]\.yaml/g) ?? []),
    ]);
    const [lists, leads] = ['warning shared-lead-list', 'warning shared-lead-ids'];
    expect(flaws).toEqual([
      [lists, 'a.yaml leads.lists.0', '77', '2', 'a.yaml', 'b.yaml'],
      [lists, 'a.yaml leads.lists.1', '78', '2', 'a.yaml', 'c.yaml'],
      [leads, 'a.yaml leads.ids', '2', '3', '4', '5', '6', '2', 'a.yaml', 'b.yaml'],
      [lists, 'b.yaml leads.lists.1', '77', '2', 'a.yaml', 'b.yaml'],
      [leads, 'b.yaml leads.ids', '2', '3', '4', '5', '6', '2', 'a.yaml', 'b.yaml'],
      [leads, 'b.yaml leads.ids', '9', '2', 'b.yaml', 'c.yaml'],
      [lists, 'c.yaml leads.lists.0', '78', '2', 'a.yaml', 'c.yaml'],
      [leads, 'c.yaml leads.ids', '9', '2', 'b.yaml', 'c.yaml'],
    ]);
  });

  it('a lead list is not shared with a campaign that does not run, with itself, or by an unknown name', () => {
    const campaigns = [
      subject({ name: 'Spring', status: 'running', leads: { lists: [77, 'installers-fr', 'constructor'] } }),
      subject({ name: 'Summer', status: 'paused', leads: { lists: [77] } }),
      subject({ name: 'Winter', status: 'running', leads: { lists: ['constructor', 'unknown'] } }),
      subject({ name: 'Yule', status: 'running', leads: { lists: ['unknown'] } }),
    ];
    expect(applyRules(campaigns, french).findings).toEqual([]);
  });
});

describe('a campaign that only has a name', () => {
  it('is fine', () => {
    expect(findings(named({}))).toEqual([]);
  });
});
