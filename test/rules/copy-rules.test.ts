import { describe, expect, it } from 'vitest';
import type { Finding, Path } from '../../src/model/outputs.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

const BODY: Path = ['sequence', 'steps', 0, 'email_body'];
const declared = environment({ custom_variables: ['FIRST_NAME', 'company website'] });

function findings(body: string, where = environment()): Finding[] {
  return applyRules([subject(mailing({ email_body: body }))], where).findings;
}

/** The finding of a rule about the body of the first step. */
function inBody({ text, ...rest }: Omit<Finding, 'place'> & { text: string }): Finding {
  const place = { file: 'campaigns/spring.yaml', document: 0, path: BODY, target: 'value' as const, text };
  return { ...rest, place };
}

/** What was said about the body: code and the text that the place points at. */
function points(body: string, where = environment()): string[] {
  return findings(body, where).map((finding) => `${finding.code} ${finding.place.text}`);
}

describe('undeclared variables', () => {
  const undeclared = (variable: string, hint: string): Finding =>
    inBody({
      code: 'undeclared-variable',
      severity: 'error',
      message: `step 1, email_body: ${variable} is not among the custom variables of environment "production".`,
      hint,
      text: variable,
    });

  it.each<[string, string, Finding[]]>([
    [
      'one letter wrong',
      'Hi {FRIST_NAME}, {FIRST_NAME}',
      [undeclared('{FRIST_NAME}', 'Did you mean {FIRST_NAME}?')],
    ],
    [
      'a name like none, said once for all its occurrences',
      '{TITLE} {TITLE} {{TITLE}|you}',
      [
        undeclared(
          '{TITLE}',
          'Correct it, or declare it under environments.production.custom_variables if the workspace has it. Declared: FIRST_NAME, COMPANY WEBSITE.',
        ),
      ],
    ],
    ['declared ones, whatever the case of the declaration', '{FIRST_NAME} at {COMPANY WEBSITE}', []],
    ['lower-case ones, which are another mistake', '<style>p {color: RED}</style>{{FIRST_NAME}|you}', []],
  ])('%s', (_, body, expected) => {
    expect(findings(body, declared)).toEqual(expected);
  });

  it('are unknown where the environment declares none', () => {
    expect(findings('{ANYTHING}', environment({ custom_variables: null }))).toEqual([]);
  });

  it('are all variables where the environment declares an empty list', () => {
    expect(findings('{FIRST_NAME}', environment({ custom_variables: [] }))).toEqual([
      undeclared(
        '{FIRST_NAME}',
        'Correct it, or declare it under environments.production.custom_variables if the workspace has it.',
      ),
    ]);
  });

  it('are named with the variant and field they stand in', () => {
    const spec = mailing(
      {},
      { variants: [{ email_subject: '{COMPANY}?', email_body: '<p>Worth a look?</p>' }] },
    );
    expect(applyRules([subject(spec)], declared).findings).toEqual([
      {
        code: 'undeclared-variable',
        severity: 'error',
        message:
          'step 2, variant 1, email_subject: {COMPANY} is not among the custom variables of environment "production".',
        hint: 'Correct it, or declare it under environments.production.custom_variables if the workspace has it. Declared: FIRST_NAME, COMPANY WEBSITE.',
        place: {
          file: 'campaigns/spring.yaml',
          document: 0,
          path: ['sequence', 'steps', 1, 'variants', 0, 'email_subject'],
          target: 'value',
          text: '{COMPANY}',
        },
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
    expect(findings(`Hi ${wrong}, ${wrong}`, declared)).toEqual([
      inBody({
        code: 'variable-case',
        severity: 'error',
        message: `step 1, email_body: ${wrong} is not a variable and would be sent literally.`,
        hint: `Write ${right}: variables are upper case, without spaces at the edges.`,
        text: wrong,
      }),
    ]);
  });
});

describe('unbalanced braces', () => {
  const hint =
    'Braces come in pairs: {FIRST_NAME} for a variable, {Hi|Hello} for a choice. A single brace cannot be sent.';

  it('are said once for each kind, at the first of them', () => {
    expect(findings('{FIRST_NAME} {COMPANY, {A|B} {x } }{Hi}! } or {')).toEqual([
      inBody({
        code: 'variable-case',
        severity: 'error',
        message: 'step 1, email_body: {x } is not a variable and would be sent literally.',
        hint: 'Write {X}: variables are upper case, without spaces at the edges.',
        text: '{x }',
      }),
      inBody({
        code: 'variable-case',
        severity: 'error',
        message: 'step 1, email_body: {Hi} is not a variable and would be sent literally.',
        hint: 'Write {HI}: variables are upper case, without spaces at the edges.',
        text: '{Hi}',
      }),
      inBody({
        code: 'unbalanced-braces',
        severity: 'error',
        message: 'step 1, email_body: a "}" closes nothing.',
        hint,
        text: '} o',
      }),
      inBody({
        code: 'unbalanced-braces',
        severity: 'error',
        message: 'step 1, email_body: a "{" is never closed.',
        hint,
        text: 'r {',
      }),
      inBody({
        code: 'broken-spintax',
        severity: 'error',
        message:
          'step 1, email_body: {COMPANY, {A|B} {x } } offers only one choice, and the service may send the braces too.',
        hint: 'Put a pipe between the choices, or remove the braces.',
        text: '{COMPANY, {A|B} {x } }',
      }),
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
  const broken = (text: string, fact: string, hint: string): Finding =>
    inBody({
      code: 'broken-spintax',
      severity: 'error',
      message: `step 1, email_body: ${text} ${fact}.`,
      hint,
      text,
    });
  const word = (name: string): [string, string] => [
    `offers the word ${name}, not the variable: a pipe makes it spintax`,
    `Give the variable braces of its own: {{${name}}|…}.`,
  ];

  it.each<[string, Finding[]]>([
    ['{}', [broken('{}', 'is empty', 'Write a variable or choices, or remove the braces.')]],
    ['{|}', [broken('{|}', 'offers only empty choices', 'Write the choices, or remove the spintax.')]],
    [
      '{Hi||Hello}',
      [broken('{Hi||Hello}', 'has an empty choice between two pipes', 'Remove one of the pipes.')],
    ],
    [
      '{Hi there, how are you?}',
      [
        broken(
          '{Hi there, how are you?}',
          'offers only one choice, and the service may send the braces too',
          'Put a pipe between the choices, or remove the braces.',
        ),
      ],
    ],
    ['{JOB_TITLE|colleague}', [broken('{JOB_TITLE|colleague}', ...word('JOB_TITLE'))]],
    ['{site| COMPANY WEBSITE}', [broken('{site| COMPANY WEBSITE}', ...word('COMPANY WEBSITE'))]],
    [
      '{Hi there my good friend}',
      [
        broken(
          '{Hi there my good friend}',
          'offers only one choice, and the service may send the braces too',
          'Put a pipe between the choices, or remove the braces.',
        ),
      ],
    ],
    ['{CEO|CFO}', []],
    ['{Hi|{Hello|Hey}} {{FIRST_NAME}|there} {really| }', []],
    ['Solar | Heat', []],
  ])('%s', (body, expected) => {
    expect(findings(body, declared)).toEqual(expected);
  });

  it.each(['{Hi|}', '{|Hi}'])('%s is a warning, since nothing may be meant', (text) => {
    expect(findings(text)).toEqual([
      inBody({
        code: 'empty-choice',
        severity: 'warning',
        message: `step 1, email_body: ${text} has an empty choice: some recipients get nothing in its place.`,
        hint: 'Remove the pipe. If an empty choice is intended, write a space between pipe and brace.',
        text,
      }),
    ]);
  });

  it('is quoted in one line and cut, and pointed at by its first line', () => {
    const body = `{<p>Hello and welcome,</p>\n<p>we have been thinking about your roof for a while</p>}`;
    expect(findings(body)).toEqual([
      inBody({
        code: 'broken-spintax',
        severity: 'error',
        message:
          'step 1, email_body: {<p>Hello and welcome,</p> <p>we have been thinking about y… offers only one choice, and the service may send the braces too.',
        hint: 'Put a pipe between the choices, or remove the braces.',
        text: '{<p>Hello and welcome,</p>',
      }),
    ]);
  });
});

describe('Liquid', () => {
  it.each([
    ['{{ first_name }}', 'Write {FIRST_NAME}. '],
    ['{{ name | upcase }}', ''],
    ['{% if company %}', ''],
  ])('%s is a warning', (text, instead) => {
    expect(findings(`Hi ${text}`, declared)).toEqual([
      inBody({
        code: 'liquid',
        severity: 'warning',
        message: `step 1, email_body: ${text} is Liquid, which only some services understand; others send it as text.`,
        hint: `${instead}If your service understands Liquid, set "liquid: off" under lint in the project file.`,
        text,
      }),
    ]);
  });
});

it('a no-break space in a variable is told of both', () => {
  const codes = findings('Hi {Company\u00a0Website}', declared).map(({ code }) => code);
  expect(codes).toEqual(['variable-case', 'invisible-characters']);
});

it('letters of another alphabet than the rest of their word are told, in the name and in the title', () => {
  const { sequence } = mailing({ email_subject: 'S\u0440ring' });
  const spec = { name: 'S\u0440ring', sequence: { title: 'бюдж\u0065т', steps: sequence?.steps ?? [] } };
  const found = applyRules([subject(spec)], declared).findings;
  expect(found.map(({ code, message, place }) => [code, place.path, place.text, message])).toEqual([
    [
      'mixed-alphabets',
      ['name'],
      '\u0440',
      'name has letters of another alphabet than the rest of their word: U+0440 (Cyrillic р).',
    ],
    [
      'mixed-alphabets',
      ['sequence', 'title'],
      'e',
      'sequence title has letters of another alphabet than the rest of their word: U+0065 (Latin e).',
    ],
  ]);
});

describe('invisible characters', () => {
  it('are named by code point, once for each text', () => {
    expect(findings('Hi\u200b \u202eyou\u200b\u0007 \r')).toEqual([
      inBody({
        code: 'invisible-characters',
        severity: 'warning',
        message:
          'step 1, email_body holds invisible characters: U+200B zero width space, U+202E right-to-left override, U+0007, U+000D.',
        hint: 'Delete them, or write ordinary spaces: they come from copy and paste, and spam filters look for them.',
        text: '\u200b',
      }),
    ]);
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
