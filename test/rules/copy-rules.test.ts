import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/outputs.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

const declared = environment({ custom_variables: ['FIRST_NAME', 'company website'] });

function findings(body: string, where = environment()): Finding[] {
  return applyRules([subject(mailing({ email_body: body }))], where).findings;
}

/** The findings of a body: code and the text that the place points at. */
function points(body: string, where = environment()): string[] {
  return findings(body, where).map((finding) => `${finding.code} ${finding.place.text}`);
}

/** The same with hints. */
function hints(body: string, where = environment()): [point: string, hint: string][] {
  const all = findings(body, where);
  return points(body, where).map((point, at) => [point, all[at]?.hint ?? '']);
}

describe('undeclared variables', () => {
  const advice =
    'Correct it, or declare it under environments.production.custom_variables if the workspace has it.';

  it.each<[string, string, [string, string][]]>([
    [
      'one letter wrong',
      'Hi {FRIST_NAME}, {FIRST_NAME}',
      [['undeclared-variable {FRIST_NAME}', 'Did you mean {FIRST_NAME}?']],
    ],
    [
      'a name like none, once for all its occurrences',
      '{TITLE} {TITLE} {{TITLE}|you}',
      [['undeclared-variable {TITLE}', `${advice} Declared: FIRST_NAME, COMPANY WEBSITE.`]],
    ],
    ['declared ones, whatever the case of the declaration', '{FIRST_NAME} at {COMPANY WEBSITE}', []],
    ['lower-case ones, which are a different mistake', '<style>p {color: RED}</style>{{FIRST_NAME}|you}', []],
  ])('%s', (_, body, expected) => {
    expect(hints(body, declared)).toEqual(expected);
  });

  it('are unknown where the environment declares none, and all where it declares an empty list', () => {
    expect(findings('{ANYTHING}', environment({ custom_variables: null }))).toEqual([]);
    const none = environment({ custom_variables: [] });
    expect(hints('{FIRST_NAME}', none)).toEqual([['undeclared-variable {FIRST_NAME}', advice]]);
  });

  it('are named with the variant and field they stand in', () => {
    const variants = [{ email_subject: '{COMPANY}?', email_body: '<p>Worth a look?</p>' }];
    const path = ['sequence', 'steps', 1, 'variants', 0, 'email_subject'];
    expect(applyRules([subject(mailing({}, { variants }))], declared).findings).toEqual([
      {
        code: 'undeclared-variable',
        severity: 'error',
        message:
          'step 2, variant 1, email_subject: {COMPANY} is not a custom variable of environment "production".',
        hint: `${advice} Declared: FIRST_NAME, COMPANY WEBSITE.`,
        place: { file: 'campaigns/spring.yaml', document: 0, path, target: 'value', text: '{COMPANY}' },
      },
    ]);
  });
});

describe('variables that would go out literally', () => {
  it.each([
    ['{first_name}', '{FIRST_NAME}'],
    ['{First Name}', '{FIRST_NAME}'],
    ['{firstName}', '{FIRST_NAME}'],
    ['{ FIRST_NAME }', '{FIRST_NAME}'],
    ['{FIRST-NAME}', '{FIRST_NAME}'],
    ['{jobTitle}', '{JOB_TITLE}'],
    ['{job title}', '{JOB TITLE}'],
    ['{job-title}', '{JOB_TITLE}'],
    ['{JOB_TITLE }', '{JOB_TITLE}'],
    ['{prénom}', '{PRÉNOM}'],
  ])('%s is to be written %s', (wrong, right) => {
    const hint = `Write ${right}: variables are upper case, without leading or trailing spaces.`;
    expect(hints(`Hi ${wrong}, ${wrong}`, declared)).toEqual([[`variable-case ${wrong}`, hint]]);
  });
});

describe('unbalanced braces', () => {
  it('are found once for each kind, at the first of them', () => {
    expect(points('{FIRST_NAME} {COMPANY, {A|B} {x } }{Hi}! } or {')).toEqual([
      'variable-case {x }',
      'variable-case {Hi}',
      'unbalanced-braces } o',
      'unbalanced-braces r {',
      'broken-spintax {COMPANY, {A|B} {x } }',
    ]);
  });

  it.each([
    ['a variable whose end is missing', 'Hi {FIRST_NAME, {COMPANY}', ['unbalanced-braces {']],
    ['an end too many', 'Hi {FIRST_NAME}}', ['unbalanced-braces }']],
    ['an open choice around a whole one', '{Hi|{Hello|Hey}, you', ['unbalanced-braces {']],
    ['a style block', '<style>p { color: red; }\n@media print { p { x: y } }</style><p>Hi</p>', []],
    ['nothing but pairs', '{{FIRST_NAME}|{dear|my} friend}', []],
  ])('%s', (_, body, expected) => {
    expect(points(body).map((point) => point.replace(/ (.).*/, ' $1'))).toEqual(expected);
  });

  it('point at the brace that is meant, not at the first one like it', () => {
    expect(points('{FIRST_NAME} and {COMPANY, hello')).toEqual(['unbalanced-braces {C']);
    expect(points('<p>{FIRST_NAME}</p>\n<p>at {COMPANY}}')).toEqual(['unbalanced-braces }}']);
    expect(points('<p>{FIRST_NAME} of {COMPANY}</p>\nBest, Ana }')).toEqual(['unbalanced-braces  }']);
  });
});

describe('broken spintax', () => {
  const word = (name: string) => `Give the variable its own braces: {{${name}}|…}.`;

  it.each<[string, ...string[]]>([
    ['{}', 'Write a variable or choices, or remove the braces.'],
    ['{|}', 'Write the choices, or remove the spintax.'],
    ['{Hi||Hello}', 'Remove one of the pipes.'],
    ['{Hi there, how are you?}', 'Put a pipe between the choices, or remove the braces.'],
    ['{Hi there my good friend}', 'Put a pipe between the choices, or remove the braces.'],
    ['{JOB_TITLE|colleague}', word('JOB_TITLE')],
    ['{site| COMPANY WEBSITE}', word('COMPANY WEBSITE')],
    ['{CEO|CFO}'],
    ['{Hi|{Hello|Hey}} {{FIRST_NAME}|there} {really| }'],
    ['Solar | Heat'],
  ])('%s', (body, ...expected) => {
    expect(hints(body, declared)).toEqual(expected.map((hint) => [`broken-spintax ${body}`, hint]));
  });

  it.each(['{Hi|}', '{|Hi}'])('%s is a warning, since nothing may be meant', (text) => {
    expect(findings(text)).toMatchObject([{ code: 'empty-choice', severity: 'warning', place: { text } }]);
  });

  it('is quoted in one line and cut, and pointed at by its first line', () => {
    const body = `{<p>Hello and welcome,</p>\n<p>we have been thinking about your roof for a while</p>}`;
    expect(points(body)).toEqual(['broken-spintax {<p>Hello and welcome,</p>']);
    expect(findings(body)[0]?.message).toContain(
      ' {<p>Hello and welcome,</p> <p>we have been thinking about y… has only one choice',
    );
  });
});

it.each([
  ['{{ first_name }}', 'Write {FIRST_NAME}. If'],
  ['{{ name | upcase }}', 'If'],
  ['{% if company %}', 'If'],
])('Liquid is a warning: %s', (text, hint) => {
  expect(findings(`Hi ${text}`, declared)).toMatchObject([
    {
      code: 'liquid',
      severity: 'warning',
      place: { text },
      hint: expect.stringMatching(`^${hint} your service`),
    },
  ]);
});

it('a no-break space in a variable is found by both rules', () => {
  const codes = findings('Hi {Company\u00a0Website}', declared).map(({ code }) => code);
  expect(codes).toEqual(['variable-case', 'invisible-characters']);
});

it('letters of another alphabet than the rest of their word are found in the name and in the title', () => {
  const { sequence } = mailing({ email_subject: 'S\u0440ring' });
  const spec = { name: 'S\u0440ring', sequence: { title: 'бюдж\u0065т', steps: sequence?.steps ?? [] } };
  const found = applyRules([subject(spec)], declared).findings;
  expect(found.map(({ code, message, place }) => [code, place.path.at(-1), message.split(': ')[1]])).toEqual([
    ['mixed-alphabets', 'name', 'U+0440 (Cyrillic р).'],
    ['mixed-alphabets', 'title', 'U+0065 (Latin e).'],
  ]);
});

describe('invisible characters', () => {
  it('are named by code point, once for each text', () => {
    const text = 'Hi\u200b \u202eyou\u200b\u0007 \r';
    expect(points(text)).toEqual(['invisible-characters \u200b']);
    expect(findings(text)[0]?.message).toMatch(
      /: U\+200B zero width space, U\+202E right-to-left override, U\+0007, U\+000D\.$/,
    );
  });

  it('are looked for wherever a text is written', () => {
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
    ['accents and no-break spaces', '10\u00a0% de remise\u00a0: à bientôt'],
  ])('%s is none', (_, body) => {
    expect(findings(body)).toEqual([]);
  });

  it.each([
    ...['\u3164', '\u115f', '\u034f', '\u2800', '\u{e0100}', '\u180e', '\ufff9', '\ufe0f', '\u{e0041}'],
    ...['\u00a0', '\u2003', '\u202f', '\u3000', '\u1680'],
  ])('%j between letters is one', (character) => {
    expect(points(`A${character}question`)).toEqual([`invisible-characters ${character}`]);
    const { sequence } = mailing({});
    const named = applyRules([subject({ name: `A${character}b`, ...(sequence && { sequence }) })], declared);
    expect(named.findings.map(({ code }) => code)).toEqual(['invisible-characters']);
  });

  it.each(['5\u00a0000', '5\u202f000', 'Prêt\u00a0?', '東\u3000京'])(
    'the space of %j is one in a name, and none in what recipients read',
    (text) => {
      expect(findings(`<p>${text}</p>`)).toEqual([]);
      const spec = { name: text, settings: { can_unsubscribe: true, unsubscribe_text: text } };
      expect(applyRules([subject(spec)], declared).findings.map(({ place }) => place.path)).toEqual([
        ['name'],
      ]);
    },
  );

  it('are found behind the same character where it is allowed', () => {
    expect(points('👩‍💻 and\u200d you')).toEqual(['invisible-characters \u200d ']);
  });
});
