import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/email/mail.js';
import type { CampaignPlan } from '../../src/model/outputs.js';
import { changedText, mailsOf } from '../../src/view/html-emails.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { planOf } from '../support/plans.js';
import {
  CHANGED,
  CREATED,
  campaign,
  campaignContent,
  change,
  LAUNCHED,
  mixedPlan,
  SETTINGS,
  step,
} from './plans.js';

/** What is read on a page, frames aside. */
function read(page: string): string {
  return htmlToText(page).replace(/\s+/g, ' ');
}

function inOrder(text: string, parts: readonly string[]): void {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    expect(
      found,
      `${JSON.stringify(part)} behind ${JSON.stringify(text.slice(Math.max(0, at - 80), at))}`,
    ).toBeGreaterThanOrEqual(0);
    at = found + part.length;
  }
}

describe('the page of a plan', () => {
  it('begins with counts, what to do and what needs a look, then launches with their emails, then other campaigns', () => {
    inOrder(read(renderPlanHtml(mixedPlan())), [
      'Plan for production',
      'Real service',
      'https://send.example.com',
      '1 to create',
      '1 to change',
      '1 blocked',
      '12 unchanged',
      '2 launches',
      '9 requests',
      'What to do',
      'Review the emails, leads and dates of all 2 launches below.',
      'Needs a look',
      'Needs approval before anything is sent',
      'How to accept or resolve it',
      'Blocked: apply does not send these changes',
      'sequence-exists The API cannot edit an existing sequence',
      'Irreversible: creates 1 campaign, posts emails in 1 request, attaches leads in 1 request, launches 2 campaigns',
      '2 launches: they start sending emails to real people',
      'Status',
      'running',
      'Leads',
      'Other campaigns',
      'See above: sequence-exists',
      'Sequence changed, not sent',
      'Schedule',
      'Settings',
      'Not shown by the service',
      'The service does not show settings.reputation_building: it was compared with the last applied value. (2 campaigns)',
    ]);
  });

  it('shows the emails of each of three launches that differ in them', () => {
    const [first] = CREATED.content?.after.sequence?.steps ?? [];
    const names = ['A', 'B', 'C'];
    const own = names.map((name): CampaignPlan => {
      const text = JSON.stringify(CREATED).replaceAll(
        JSON.stringify(first?.email_subject),
        `"A question for ${name}"`,
      );
      return { ...(JSON.parse(text) as CampaignPlan), name };
    });
    const page = read(renderPlanHtml(planOf(own)));
    for (const name of names) expect(page).toContain(`A question for ${name}`);
    expect(page).not.toContain('the same');
    const same = read(renderPlanHtml(planOf(names.map((name) => ({ ...CREATED, name })))));
    expect(same).toContain('3 × the same');
  });

  it('says that there is nothing to do, or nothing to look at first', () => {
    const same = campaign({ action: 'none', content: null });
    const idle = read(renderPlanHtml(planOf([same, same])));
    inOrder(idle, ['2 unchanged', 'No changes. All 2 live campaigns match their manifests.']);
    expect(idle).not.toContain('Needs a look');
    const settings = campaign({
      changes: [change({ path: 'max_emails_per_day', from: 1, to: 200 })],
      steps: [step({})],
    });
    expect(read(renderPlanHtml(planOf([settings])))).toContain(
      'No launches, nothing blocked, nothing irreversible, no approval needed.',
    );
  });

  it('tells hazards once, with their campaigns, and those of the whole plan', () => {
    const reset = {
      code: 'reset-unreadable',
      severity: 'hazard' as const,
      message: 'An update always sets all settings.',
      hint: 'Accept it with --allow reset-unreadable.',
    };
    const mass = {
      ...reset,
      code: 'mass-change',
      message: 'Many campaigns change at once.',
      hint: 'Accept it with --allow mass-change.',
    };
    const own = ['One', 'Two'].map((name) =>
      campaign({
        name,
        problems: [reset],
        changes: [change({ path: 'plain_text', to: true })],
        steps: [step({})],
      }),
    );
    const page = renderPlanHtml(planOf(own, { problems: [mass] }));
    inOrder(read(page), [
      'Needs approval before anything is sent',
      'mass-change Many campaigns',
      'reset-unreadable An update',
      'One',
      'Two',
    ]);
    expect(page.split('Needs approval before').length).toBe(2);
  });

  it('shows settings of both sides, changed ones marked, with what is known of hidden ones', () => {
    const note = 'the service does not show it; compared with the last applied value';
    const { reputation_building: _hidden, ...shown } = SETTINGS;
    const one = campaign({
      content: {
        before: campaignContent({ settings: { ...shown, max_emails_per_day: null } }),
        after: campaignContent({ settings: { max_emails_per_day: 2000, reputation_building: true } }),
      },
      changes: [
        change({ path: 'max_emails_per_day', to: 2000 }),
        change({ path: 'reputation_building', from: false, to: true, note }),
      ],
      steps: [step({})],
    });
    inOrder(read(renderPlanHtml(planOf([one]))), [
      'What Current Planned',
      'Emails per day, at most',
      'max_emails_per_day none 2000',
      'Reputation building',
      'reputation_building false true',
      note,
      'Everything else',
      'New leads per day, at most',
      'max_new_leads_per_day 80',
    ]);
    expect(read(renderPlanHtml(planOf([CREATED])))).toContain('Settings What Planned Emails per day');
  });

  it('shows what changes first, and folds what does not', () => {
    const one = campaign({
      changes: [change({ path: 'max_emails_per_day', from: 1, to: 200 })],
      steps: [step({})],
    });
    const page = renderPlanHtml(planOf([one]));
    inOrder(read(page), [
      'Settings',
      'max_emails_per_day',
      'Everything else',
      'max_new_leads_per_day 80',
      'schedule mon–fri 09:00–17:00 Europe/London',
      'attached already lead list 77',
      'Emails',
      'Email 1',
    ]);
    expect(page.match(/<details class="fold unchanged">/g)).toHaveLength(1);
  });

  it('shows campaigns that are the same once, and names each with its file and its own leads', () => {
    const own = [70, 71, 72].map((list) => ({
      ...CREATED,
      name: `New ${list}`,
      manifest: `campaigns/${list}.yaml`,
      changes: [
        ...CREATED.changes.filter(({ section }) => section !== 'leads'),
        change({ section: 'leads', path: 'lists', kind: 'add', to: [list] }),
      ],
    }));
    const page = renderPlanHtml(planOf(own));
    inOrder(read(page), [
      '3 × the same change',
      'New 70attaches list 70',
      'campaigns/70.yaml',
      'New 72attaches list 72',
      'Email 1',
    ]);
    expect(page.match(/<details class="campaign"/g)).toHaveLength(1);
  });

  it('finds launches that are the same in the folder of each', () => {
    const launches = ['uk', 'fr', 'de'].map((folder) => ({
      ...LAUNCHED,
      name: `Launch ${folder}`,
      manifest: `campaigns/${folder}/a.yaml`,
    }));
    const page = renderPlanHtml(planOf(launches));
    expect(page).toContain('data-folders="campaigns/uk\ncampaigns/fr\ncampaigns/de" data-count="3"');
  });

  it('filters by the folders of all campaigns, also of those that only launch', () => {
    const launches = Array.from({ length: 9 }, (_, at) => ({
      ...LAUNCHED,
      name: `Launch ${at}`,
      manifest: at === 0 ? 'a.yaml' : `clients/${at % 2 === 0 ? 'acme' : 'globex'}/${at}.yaml`,
    }));
    const page = renderPlanHtml(planOf([...launches, CHANGED]));
    const [, options = ''] = /<select aria-label="Folder">(.*?)<\/select>/.exec(page) ?? [];
    expect([...options.matchAll(/<option>(.*?)<\/option>/g)].map(([, name]) => name)).toEqual([
      'campaigns',
      'clients/acme',
      'clients/globex',
      'no folder',
    ]);
    const [, folders = ''] = /data-folders="([^"]*)" data-count="9"/.exec(page) ?? [];
    expect(folders.split('\n')).toEqual(['no folder', 'clients/globex', 'clients/acme']);
  });

  it('shows the week in words, both sides where they differ', () => {
    inOrder(read(renderPlanHtml(planOf([CHANGED]))), ['days mon–thu mon–fri', 'start_time 08:00 09:00']);
    const created = read(renderPlanHtml(planOf([CREATED])));
    expect(created).toContain('Schedule What Planned Schedule mon–fri 09:00–17:00 Europe/London');
  });

  it('shows how emails change and how an invented lead gets them, and says what is not sent', () => {
    const page = renderPlanHtml(planOf([CHANGED]));
    inOrder(read(page), [
      'Sequence changed, not sent',
      'step 2: email_subject Re: {FIRST_NAME}, how long did a roof take you? {FIRST_NAME}, how long does',
      'step 1: wait_in_days 2 3',
      'step 1: email_body',
      'gains about two hoursan hour a roof.',
      'Removed',
      'Email 3 Goodbye, {FIRST_NAME} the last email',
      'In the manifest, not sent',
      'Goodbye, Anna',
      'Everything else',
      'Emails',
      'Shown to a sample lead: {FIRST_NAME} Anna {COMPANY} Northlight Studio',
      'Email 1 {FIRST_NAME}, how long does a roof take you? then wait 3 days',
      'Anna, how long does a roof take you?',
      'Email 1, variant 1',
      'Email 2',
      'as a reply, the last email',
      'Re: Anna, how long does a roof take you?',
    ]);
    expect(page.match(/<iframe /g)).toHaveLength(4);
  });

  it('shows the text of a campaign that sends plain text', () => {
    const page = renderPlanHtml(planOf([LAUNCHED]));
    expect(page).not.toContain('<iframe');
    expect(htmlToText(page)).toContain(
      'Hi Anna,\n\nis the roof of Northlight Studio ready for the winter?\n\n- gutters\n- tiles\n\nJo',
    );
  });

  it('shows leads that are attached and that come, long lists folded', () => {
    const ids = Array.from({ length: 1100 }, (_, index) => 5000 + index);
    const one = campaign({
      content: {
        before: campaignContent({ leads: { lists: [12], ids: [] } }),
        after: campaignContent({ leads: { lists: [12, 77], ids } }),
      },
      changes: [
        change({ section: 'leads', path: 'lists', kind: 'add', to: [77] }),
        change({ section: 'leads', path: 'ids', kind: 'add', to: ids }),
      ],
    });
    inOrder(read(renderPlanHtml(planOf([one]))), [
      '1 lead list 77',
      '1,100 individual leads 1,100 values: 5000 … 6099',
      'attached already lead list 12',
    ]);
  });

  it('shows what differs where no more is known', () => {
    const one = campaign({
      content: null,
      changes: [
        change({ path: 'plain_text', from: false, to: true }),
        change({ section: 'sequence', path: 'steps[0].wait_in_days', from: 1, to: 2 }),
      ],
    });
    inOrder(read(renderPlanHtml(planOf([one]))), [
      'Sequence',
      'What Current Planned',
      'step 1: wait_in_days 1 2',
      'Settings',
      'plain_text false true',
    ]);
  });
});

it('counts each email and variant as a mail', () => {
  expect(mailsOf(CREATED.content?.after.sequence ?? null)).toBe(3);
});

describe('a changed text', () => {
  const lines = Array.from({ length: 200 }, (_, at) => `<p>line ${at}</p>`);

  it('is folded far from what changes', () => {
    const { markup } = changedText(lines.join('\n'), lines.join('\n').replace('line 100', 'row 100'));
    expect(htmlToText(markup).split('\n\n')).toEqual([
      '99 unchanged lines',
      '<p>line 99</p>',
      '<p>linerow 100</p>',
      '<p>line 101</p>',
      '98 unchanged lines',
    ]);
  });

  it('has its paragraphs on lines of their own where the source has one line', () => {
    const { markup } = changedText(lines.join(''), lines.join('').replace('line 100', 'row 100'));
    expect(markup.match(/class="line touched"/g)).toHaveLength(1);
    expect(markup.match(/unchanged line/g)).toHaveLength(2);
  });

  it('is shown one after the other where it is too long to compare, what is the same around it folded', () => {
    const many = (word: string) => Array.from({ length: 600 }, (_, at) => `${at < 10 ? 'same' : word} ${at}`);
    const { markup } = changedText([...many('old'), 'end'].join('\n'), [...many('new'), 'end'].join('\n'));
    expect(markup.match(/<del>/g)).toHaveLength(590);
    expect(markup.match(/<ins>/g)).toHaveLength(590);
    expect(htmlToText(markup)).toContain('9 unchanged lines');
  });

  it('marks words by element, and breaks that come or go by a sign', () => {
    const { markup } = changedText('Hi {FIRST_NAME}, <b>one</b>', 'Hi {COMPANY}, <b>one</b>\n\nBye');
    expect(markup).toContain('<del>{FIRST_NAME}</del><ins>{COMPANY}</ins>');
    expect(markup).toContain('&#60;b&#62;one');
    expect(changedText('a\nb', 'a\n\nb').markup).toContain('<ins>⏎</ins>');
    expect(changedText('<p>a</p><p>b</p>', '<p>a</p>\n<p>b</p>').markup).toContain(
      'Only line breaks differ.',
    );
  });
});
