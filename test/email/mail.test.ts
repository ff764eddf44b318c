import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  earliestDays,
  linksOf,
  type Mail,
  renderGaps,
  renderMail,
  variableNames,
  type WrittenMail,
} from '../../src/email/mail.js';
import { sampleLeads } from '../../src/email/sample-leads.js';
import { desiredSequence } from '../../src/model/spec.js';

const ANNA = {
  label: 'Anna',
  values: { FIRST_NAME: 'Anna', COMPANY: 'Fish & <Chips>' },
  pick: 'first' as const,
};

function mail(fields: Partial<WrittenMail>, lead: Parameters<typeof renderMail>[1] = ANNA): Mail {
  return renderMail({ subject: 'Hi', body: 'Hi', plain: false, isReply: false, ...fields }, lead);
}

describe('an email as a recipient gets it', () => {
  it('counts words without addresses', () => {
    const body =
      '<p>It\'s <b>{FIRST_NAME}</b>, see <a href="https://example.com/a-b">our page</a> or www.example.com</p>';
    expect(mail({ body }).words).toBe(6);
    expect(mail({ body: '', plain: true }).words).toBe(0);
  });

  it('has its links with what readers see of them', () => {
    const body =
      '<a href="https://example.com/a">our <b>page</b></a> www.example.com <a href="x"><img src="logo.png" alt="Logo"></a>';
    expect(linksOf(mail({ body })).map(({ kind, words, text }) => [kind, words, text])).toEqual([
      ['link', 'our page', 'https://example.com/a'],
      ['link', 'www.example.com', 'www.example.com'],
      ['link', 'Logo', 'x'],
      ['image', 'Logo', 'logo.png'],
    ]);
    const text = linksOf(mail({ body: 'See https://example.com/a.', plain: true }));
    expect(text.map(({ words }) => words)).toEqual(['https://example.com/a']);
  });

  it('has a mark at each place without a value, which nothing in the email forges', () => {
    const written = {
      subject: 'Hi {CITY}',
      body: '\ufdd0X\ufdd0 {FIRST_NAME} {CITY}',
      plain: true,
      isReply: false,
    };
    const gaps = renderGaps(written, ANNA, renderMail(written, ANNA));
    expect(gaps?.mark).toBe('\ufdd1');
    expect(gaps?.mail.subject).toBe('Hi \ufdd1CITY\ufdd1');
    expect(gaps?.mail.text).toBe('\ufdd0X\ufdd0 Anna \ufdd1CITY\ufdd1');
    const complete = { ...written, subject: 'Hi', body: '{FIRST_NAME}' };
    expect(renderGaps(complete, ANNA, renderMail(complete, ANNA))).toBeNull();
  });

  it('has values for variables, one choice of spintax, and everything else unchanged', () => {
    expect(
      mail({ subject: '{Hi|Hello} {FIRST_NAME}, {first_name}? {{liquid}}', body: '<p>{FIRST_NAME}</p>' }),
    ).toEqual({
      subject: 'Hi Anna, {first_name}? {{liquid}}',
      length: 33,
      html: '<p>Anna</p>',
      text: 'Anna',
      snippet: 'Anna',
      words: 1,
      missing: [],
    });
  });

  it('has values as text, not as markup, in HTML', () => {
    const { html, text } = mail({ body: '<b>{COMPANY}</b>' });
    expect({ html, text }).toEqual({ html: '<b>Fish &#38; &#60;Chips&#62;</b>', text: 'Fish & <Chips>' });
    expect(mail({ body: '{COMPANY}', plain: true })).toMatchObject({ html: null, text: 'Fish & <Chips>' });
  });

  it('is shown unchanged if the campaign sends plain text', () => {
    const body = '<p>Hi {FIRST_NAME},</p>\r\n\r\n- one\r\n';
    expect(mail({ body, plain: true })).toMatchObject({
      html: null,
      text: '<p>Hi Anna,</p>\n\n- one',
      snippet: '<p>Hi Anna,</p> - one',
    });
  });

  it('lists each variable without a value once', () => {
    const lead = { label: 'Empty', values: {}, pick: 'first' as const };
    expect(mail({ subject: '{FIRST_NAME}, {CITY}', body: 'Hi {FIRST_NAME}{|, {CITY}}' }, lead)).toMatchObject(
      {
        subject: ',',
        text: 'Hi',
        missing: ['FIRST_NAME', 'CITY'],
      },
    );
  });

  it('has one Re: in a thread', () => {
    for (const subject of ['Any news?', 'Re: Any news?', 're:Any news?'])
      expect(mail({ subject, isReply: true }).subject).toBe('Re: Any news?');
    expect(mail({ subject: 'Re: Any news?' }).subject).toBe('Re: Any news?');
  });

  it('has the length that readers see', () => {
    expect(mail({ subject: '👩‍💻 naïve é 🇫🇷' }).length).toBe(11);
  });

  it('uses the longest choices for a lead with long values', () => {
    const long = { ...ANNA, pick: 'longest' as const };
    expect(mail({ subject: '{Hi|Good {day|afternoon}|Hey} {FIRST_NAME}' }, long).subject).toBe(
      'Good afternoon Anna',
    );
  });

  it('is created from any copy, and contains no known variables in braces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{FIRST_NAME}', '{', '|', '}', '{{', 'x', '<p>', '{a|b}', ' ')),
        fc.boolean(),
        (parts, plain) => {
          const { text } = mail({ body: parts.join(''), plain });
          // Double braces are Liquid, which is sent literally.
          expect(text.replace(/\{\{[^{}]*\}\}/g, '')).not.toContain('{FIRST_NAME}');
        },
      ),
    );
  });
});

describe('the leads that emails are shown to', () => {
  it('are an ordinary one, one with long values and one with none', () => {
    const leads = sampleLeads(['FIRST_NAME', 'COMPANY', 'CURRENT_TOOL']);
    expect(leads.map(({ label, pick }) => [label, pick])).toEqual([
      ['An ordinary lead', 'first'],
      ['A lead with long values', 'longest'],
      ['A lead with missing values', 'first'],
    ]);
    expect(leads[0]?.values).toEqual({
      FIRST_NAME: 'Anna',
      COMPANY: 'Northlight Studio',
      CURRENT_TOOL: 'current tool',
    });
    const [ordinary, long] = leads;
    for (const name of Object.keys(ordinary?.values ?? {}))
      expect(long?.values[name]?.length).toBeGreaterThan((ordinary?.values[name]?.length ?? 0) + 8);
    expect(leads[2]?.values).toEqual({});
  });

  it('are not the sender, who has a value for each of them', () => {
    for (const { values } of sampleLeads(['SENDER_FIRST_NAME', 'SENDER_EMAIL', 'SENDER_EMAIL_SIGNATURE']))
      expect(values).toEqual({
        SENDER_FIRST_NAME: '[first name of the sender]',
        SENDER_EMAIL: '[email of the sender]',
        SENDER_EMAIL_SIGNATURE: '[signature of the sender]',
      });
  });
});

describe('a sequence', () => {
  const sequence = desiredSequence({
    title: 'Spring',
    steps: [
      {
        email_subject: 'One',
        email_body: 'a',
        wait_in_days: 3,
        variants: [{ email_subject: 'Two', email_body: 'b' }],
      },
      {
        email_subject: 'Three',
        email_body: 'c',
        wait_in_days: 4,
        thread_reply: true,
        variants: [{ email_subject: 'Four', email_body: 'd', wait_in_days: 1, thread_reply: false }],
      },
      { email_subject: 'Five', email_body: 'e', wait_in_days: 1, thread_reply: false },
      { email_subject: 'Six', email_body: 'f', wait_in_days: 1, thread_reply: true },
    ],
  });

  it('has its defaults filled in, and variants inherit from their steps', () => {
    expect(sequence.steps[0]?.variants).toEqual([
      { email_subject: 'Two', email_body: 'b', wait_in_days: 3, thread_reply: false },
    ]);
    expect(sequence.steps[1]?.variants).toEqual([
      { email_subject: 'Four', email_body: 'd', wait_in_days: 1, thread_reply: false },
    ]);
  });

  it('has an earliest day for each step, from day 1 on', () => {
    expect(earliestDays(sequence)).toEqual([1, 4, 8, 9]);
  });
});

it('lists the variables of copy, also in spintax, but no other words in braces', () => {
  expect(variableNames(['{FIRST_NAME} {a|{COMPANY}} {first_name}', '{CITY} {FIRST_NAME}'])).toEqual([
    'FIRST_NAME',
    'COMPANY',
    'CITY',
  ]);
});
