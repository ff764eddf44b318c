import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/email/mail.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import { type PreviewInput, renderPreviewHtml } from '../../src/view/preview-html.js';
import { email, REPLY, VARIANT } from './plans.js';

const SPEC: CampaignSpec = {
  name: 'Spring <installers>',
  settings: { plain_text: false, can_unsubscribe: true, unsubscribe_text: 'No more' },
  schedule: { days: ['friday', 'monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/London' },
  sequence: { title: 'Spring', steps: [{ ...email(), variants: [VARIANT] }, REPLY] },
};

function campaign(fields: Partial<CampaignSpec> = {}): Campaign {
  return {
    manifest: 'campaigns/spring.yaml',
    file: 'campaigns/spring.yaml',
    document: 0,
    spec: { ...SPEC, ...fields },
    remarks: [],
  };
}

function preview(fields: Partial<PreviewInput> = {}): string {
  return renderPreviewHtml({
    environment: 'sandbox',
    campaigns: [campaign()],
    ...fields,
  });
}

function read(page: string): string {
  return htmlToText(page).replace(/\s+/g, ' ');
}

describe('the page of a preview', () => {
  it('shows each email for each sample lead', () => {
    const page = preview();
    const text = read(page);
    for (const part of [
      '3 emails of 1 campaign',
      'Environment sandbox. Nothing here was read from a service.',
      'An ordinary lead A lead with long values A lead with missing values All of them, side by side',
      'Spring <installers>',
      'an unsubscribe link: “No more”',
      'Sends mon, fri 09:00–17:00 Europe/London',
      'Email 1',
      'Anna, how long does a roof take you?',
      'Hello Maximiliane-Theodora,',
      'Email 1, variant 1',
      'A sample kit for Northlight Studio',
      'Day 4 at the earliest',
      'Email 2 reply in the thread',
      'Re: Anna, how long does a roof take you?',
      'no value for FIRST_NAME',
      'Missing values are left blank here',
    ])
      expect(text).toContain(part);
    expect(page.match(/<iframe /g)).toHaveLength(9);
    expect(page.match(/class="as as-2"/g)).toHaveLength(3);
    expect(page).not.toContain('<script');
  });

  it('marks subjects that mail programs cut', () => {
    expect(read(preview()).match(/81 characters, cut off/g)).toHaveLength(1);
  });

  it('shows plain text only as text', () => {
    const page = preview({ campaigns: [campaign({ settings: { plain_text: true } })] });
    expect(page).not.toContain('<iframe');
    expect(read(page)).toContain('Sent as plain text');
  });

  it('works without sequence or schedule', () => {
    const { sequence: _sequence, schedule: _schedule, settings: _settings, ...bare } = SPEC;
    expect(read(preview({ campaigns: [{ ...campaign(), spec: bare }] }))).toContain(
      'The manifest has no sequence.',
    );
    expect(read(preview({ campaigns: [] }))).toContain('0 emails of 0 campaigns');
    expect(read(preview({ campaigns: [campaign({ schedule: { template: 'office-hours' } })] }))).toContain(
      'those of schedule template office-hours',
    );
  });

  it('shows emails after the first two hundred as text', () => {
    const page = preview({ campaigns: Array.from({ length: 100 }, () => campaign()) });
    expect(page.match(/<iframe /g)).toHaveLength(198);
    expect(read(page)).toContain('shown as text');
  });
});
