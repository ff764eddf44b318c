import { describe, expect, it } from 'vitest';
import { BUILT_IN_VARIABLES, type Environment } from '../../src/model/environment.js';
import type { Finding } from '../../src/model/outputs.js';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { readCases } from '../support/cases.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

const declared = environment({ custom_variables: ['FIRST_NAME', 'company website'] });

function findings(body: string, where = environment()): Finding[] {
  return applyRules([subject(mailing({ email_body: body }))], where).findings;
}

/** Findings in a body: code and marked text. */
function points(body: string, where = environment()): string[] {
  return findings(body, where).map((finding) => `${finding.code} ${finding.place.text}`);
}

const preset = { ...environment().service, built_in_variables: [...BUILT_IN_VARIABLES] };

const ENVIRONMENTS: Record<string, Environment> = {
  'declared: FIRST_NAME and company website': declared,
  'none declared': environment(),
  'an empty list declared': environment({ custom_variables: [] }),
  'declared: sub-category, Prénom and R&D': environment({
    custom_variables: ['sub-category', 'Prénom', 'R&D'],
  }),
  'declared: FIRST_NAME and SENDER_NAME': environment({ custom_variables: ['FIRST_NAME', 'SENDER_NAME'] }),
  'of other tools; declared: FIRST_NAME, COMPANY and PAIN POINT': environment({
    custom_variables: ['FIRST_NAME', 'COMPANY', 'PAIN POINT'],
  }),
  'ordinary text; declared: FIRST_NAME and COMPANY': environment({
    custom_variables: ['FIRST_NAME', 'COMPANY'],
  }),
  'built in, and icebreaker declared': environment({ custom_variables: ['icebreaker'], service: preset }),
  'other languages; declared: PRENOM and SOCIETE': environment({ custom_variables: ['PRENOM', 'SOCIETE'] }),
  'built in, but none declared; other languages': environment({ service: preset }),
  'addresses and paragraphs': environment(),
  'declared: CEO_NAME and TEXT_1': environment({ custom_variables: ['CEO_NAME', 'TEXT_1'] }),
  'built in, but none declared': environment({ service: preset }),
};

it('each flaw of a body is marked, with a message and a fix', async () => {
  const lines = readCases<string[]>(import.meta.dirname, 'copy').flatMap(([title, bodies]) => [
    `# ${title}`,
    ...bodies.flatMap((body) => [
      body,
      ...findings(body, ENVIRONMENTS[title]).map(
        ({ severity, code, place: { text }, message, hint }) =>
          `  ${severity} ${code} ${JSON.stringify(text)}\n    ${message}\n    ${hint}`,
      ),
    ]),
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/copy.txt');
});

it('undeclared variables are reported with their variant and field', () => {
  const variants = [{ email_subject: '{COMPANY}?', email_body: '<p>Worth a look?</p>' }];
  const path = ['sequence', 'steps', 1, 'variants', 0, 'email_subject'];
  expect(applyRules([subject(mailing({}, { variants }))], declared).findings).toEqual([
    {
      code: 'undeclared-variable',
      severity: 'error',
      message: expect.stringMatching(/^step 2, variant 1, email_subject: \{COMPANY\} .*"production"/),
      hint: expect.stringContaining('FIRST_NAME, COMPANY WEBSITE'),
      place: { file: 'campaigns/spring.yaml', document: 0, path, target: 'value', text: '{COMPANY}' },
      scope: 'campaigns/spring.yaml#0',
    },
  ]);
});

it('an invisible character in a name in braces is told once, as the reason why it is no variable', () => {
  const [first, ...others] = findings('Hi {Company\u00a0Website}', declared);
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    code: 'variable-case',
    message: expect.stringMatching(/ contains U\+00A0 no-break space, so it is not a variable and /),
  });
  const codes = (text: string) => findings(text, declared).map(({ code }) => code);
  expect(codes('Hi {FIRST_\u200bNAME},\u200b hello')).toEqual(['variable-case', 'invisible-characters']);
});

describe('invisible characters', () => {
  it.each([
    ['\u202eabc', 'U+202E right-to-left override'],
    ['שלום \u202d{FIRST_NAME}\u202c', 'U+202D left-to-right override, U+202C pop directional formatting'],
    ['שלום \u2067abc\u2069', 'U+2067 right-to-left isolate, U+2069 pop directional isolate'],
    ['Hello\u200f', 'U+200F right-to-left mark'],
  ])('of direction are named in %j', (text, names) => {
    expect(findings(text).map(({ message }) => message)).toEqual([
      `step 1, email_body contains invisible characters: ${names}.`,
    ]);
  });

  it('are named by code point, once for each text', () => {
    const text = 'Hi\u200b \u202eyou\u200b\u0007 \r';
    expect(points(text)).toEqual(['invisible-characters \u200b']);
    expect(findings(text)[0]?.message).toMatch(
      /: U\+200B zero width space, U\+202E right-to-left override, U\+0007, U\+000D\.$/,
    );
  });

  it('are reported in every text', () => {
    const { sequence } = mailing({ email_subject: '\ufeffA question' });
    const spec = {
      name: 'Spring\u200d installers',
      settings: { can_unsubscribe: true, unsubscribe_text: 'Un\u00adsubscribe' },
      sequence: { title: 'Spring\u2066', steps: sequence?.steps ?? [] },
    };
    expect(applyRules([subject(spec)], declared).findings.map(({ place }) => place.path.join('.'))).toEqual([
      'name',
      'sequence.title',
      'settings.unsubscribe_text',
      'sequence.steps.0.email_subject',
    ]);
  });

  it.each([
    ['an emoji of several', '👩‍💻 👨‍👩‍👧 🏴‍☠️ ❤️‍🔥 👩🏽‍🚀'],
    ['a joiner that Persian needs', 'می‌خواهم'],
    ['a joiner that Hindi needs', 'क्‍ष'],
    ['tabs and Windows line ends', '<p>Hi</p>\r\n\t<p>you</p>'],
    ['a flag of tags, a key and a heart', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 1️⃣ ❤️'],
    [
      'Hebrew and Arabic, with marks of direction',
      '<p>שלום \u200fC++\u200f, מה שלומך? مرحبا (2026\u200f) \u200e{FIRST_NAME}\u200e אבג</p>',
    ],
    ['accents and no-break spaces', '10\u00a0% de remise\u00a0: à bientôt'],
  ])('%s is not reported', (_, body) => {
    expect(findings(body)).toEqual([]);
  });

  it.each([
    ...['\u3164', '\u115f', '\u034f', '\u2800', '\u{e0100}', '\u180e', '\ufff9', '\ufe0f', '\u{e0041}'],
    ...['\u00a0', '\u2003', '\u202f', '\u3000', '\u1680'],
  ])('%j between letters is reported', (character) => {
    expect(points(`A${character}question`)).toEqual([`invisible-characters ${character}`]);
    const { sequence } = mailing({});
    const named = applyRules([subject({ name: `A${character}b`, ...(sequence && { sequence }) })], declared);
    expect(named.findings.map(({ code }) => code)).toEqual(['invisible-characters']);
  });

  it.each(['5\u00a0000', '5\u202f000', 'Prêt\u00a0?', '東\u3000京'])(
    'the space of %j is reported in a name, but not in an email',
    (text) => {
      expect(findings(`<p>${text}</p>`)).toEqual([]);
      const spec = { name: text, settings: { can_unsubscribe: true, unsubscribe_text: text } };
      expect(applyRules([subject(spec)], declared).findings.map(({ place }) => place.path)).toEqual([
        ['name'],
      ]);
    },
  );

  it('are reported after an allowed occurrence of the same character', () => {
    expect(points('👩‍💻 and\u200d you')).toEqual(['invisible-characters \u200d ']);
  });
});

type Case = Partial<CampaignSpec> & { manifest?: string; steps?: Partial<ResolvedStep>[] };

const french = environment({ lead_lists: { 'installers-fr': 77 } });

it('each flaw has a position, a message and a fix', async () => {
  const lines = readCases<Case[]>(import.meta.dirname, 'campaigns').flatMap(([title, cases]) => {
    const campaigns = cases.map(({ manifest = 'spring.yaml', steps, ...spec }) =>
      subject({ name: 'Spring installers', ...(steps && mailing(...steps)), ...spec }, manifest),
    );
    // Without names, each is a separate project.
    const projects = cases.every(({ name }) => name === undefined)
      ? campaigns.map((item) => [item])
      : [campaigns];
    const rows = projects.map((project) =>
      applyRules(project, french).findings.map(
        ({ severity, code, message, hint, place: { file, path, text } }) =>
          `${severity} ${code} ${file} ${path.join('.')} ${JSON.stringify(text)}\n  ${message}\n  ${hint}`,
      ),
    );
    return [`# ${title}`, ...rows.map((each) => each.join('\n') || 'nothing'), ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/campaigns.txt');
});
