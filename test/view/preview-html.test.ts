import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/email/html-text.js';
import { type PreviewedCampaign, previewedCampaign } from '../../src/model/preview.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type PreviewInput, renderPreviewHtml } from '../../src/view/preview-html.js';
import { readPage } from '../support/texts.js';
import { finding } from './findings.js';
import { email, REPLY, VARIANT } from './plans.js';

const SPEC: CampaignSpec = {
  name: 'Spring <installers>',
  settings: { plain_text: false, can_unsubscribe: true, unsubscribe_text: 'No more' },
  schedule: { days: ['friday', 'monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/London' },
  sequence: { title: 'Spring', steps: [{ ...email(), variants: [VARIANT] }, REPLY] },
};

const FILE = 'campaigns/spring.yaml';

function campaign(fields: Partial<CampaignSpec> = {}, document = 0): PreviewedCampaign {
  return previewedCampaign({ manifest: FILE, file: FILE, document, spec: { ...SPEC, ...fields } });
}

function preview(fields: Partial<PreviewInput> = {}): string {
  return renderPreviewHtml({
    environment: 'sandbox',
    leads: null,
    live: null,
    served: null,
    campaigns: [campaign()],
    ...fields,
  });
}

describe('the page of a preview', () => {
  it('shows each email for each sample lead', async () => {
    const page = preview();
    await expect(htmlToText(page)).toMatchFileSnapshot('golden/preview.txt');
    expect(page.match(/<iframe /g)).toHaveLength(9);
    expect(page.match(/class="as as-2"/g)).toHaveLength(3);
    expect(page).not.toContain('<script');
  });

  it('marks subjects that mail programs cut', () => {
    expect(readPage(preview()).match(/81 characters, cut off/g)).toHaveLength(1);
  });

  it.each([
    [30, 30, false],
    [31, 30, true],
  ])('lists %i links of an email as %i, with the number of the others', (number, listed, isCut) => {
    const links = Array.from({ length: number }, (_, at) => `<a href="https://example.com/${at}">More</a>`);
    const steps = [email({ email_body: links.join(' ') })];
    const page = preview({ campaigns: [campaign({ sequence: { title: 'Spring', steps } })] });
    const [list = ''] = /<ul class="targets".*?<\/ul>/s.exec(page) ?? [];
    expect(list.match(/<code>https:/g)).toHaveLength(listed);
    expect(list.includes('and 1 more')).toBe(isCut);
  });

  it('shows plain text only as text', () => {
    const page = preview({ campaigns: [campaign({ settings: { plain_text: true } })] });
    expect(page).not.toContain('<iframe');
    expect(readPage(page)).toContain('Sent as plain text');
  });

  it('shows a finding at the campaign and the email that it is about', () => {
    const findings = [
      'settings: odd.',
      'step 1, variant 1, email_body: odd.',
      'Unknown key "a" in step 2.',
      'step 9: odd.',
    ].map((message) => finding({ severity: 'warning', message, file: FILE }));
    const place = (campaigns: readonly PreviewedCampaign[], scope: string) => {
      const served = {
        findings,
        scopes: new Map(findings.map((each) => [each, scope])),
        problems: new Map([[FILE, findings]]),
        known: [],
        failure: null,
        version: 1,
        script: '',
        step: null,
      };
      const [, list = ''] = preview({ campaigns, served }).split('id="list"');
      return list
        .match(/<h[34]>[^<]*|<strong>! warning<\/strong> [^<]*/g)
        ?.map((text) => text.replaceAll(/<[^>]*>/g, ''));
    };
    const own = [
      'Spring &#60;installers&#62;',
      '! warning settings: odd. ',
      '! warning step 9: odd. ',
      'Email 1',
      'Email 1, variant 1',
      '! warning step 1, variant 1, email_body: odd. ',
      'Email 2',
      '! warning Unknown key &#34;a&#34; in step 2. ',
    ];
    const [summer, spring] = [
      campaign({ name: 'Summer', sequence: { title: 'S', steps: [] } }),
      campaign({}, 1),
    ];
    expect(place([campaign()], `${FILE}#0`)).toEqual(own);
    expect(place([summer, spring], `${FILE}#1`)).toEqual(['Summer', ...own]);
    const all = findings.map(({ message }) => `! warning ${message.replaceAll('"', '&#34;')} `);
    expect(place([summer, spring], `${FILE}#`)?.slice(0, 6)).toEqual([FILE, ...all, 'Summer']);
    expect(place([summer], `${FILE}#1`)).toEqual([FILE, ...all, 'Summer']);
  });

  it('works without campaigns, sequence, schedule or hours', async () => {
    const { sequence: _sequence, schedule: _schedule, settings: _settings, ...bare } = SPEC;
    const templated = campaign({ schedule: { template: 'office-hours' } });
    const pages = [
      [],
      [previewedCampaign({ manifest: FILE, file: FILE, document: 0, spec: bare })],
      [templated],
    ].map((campaigns) => preview({ campaigns }));
    await expect(pages.map(htmlToText).join('\n')).toMatchFileSnapshot('golden/preview-parts.txt');
  });

  it('shows emails after the first two hundred as text', () => {
    const page = preview({ campaigns: Array.from({ length: 100 }, () => campaign()) });
    expect(page.match(/<iframe /g)).toHaveLength(198);
    expect(readPage(page)).toContain('shown as text');
  });
});
