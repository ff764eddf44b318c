import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFindingsGithub } from '../../src/view/findings.js';
import { visible, visibleLine } from '../../src/view/terminal.js';
import { finding, hostileFindings, MOVES } from './findings.js';
import { commandsIn } from './runner.js';

test('an annotation has place, code, message and hint', () => {
  expect(renderFindingsGithub([finding()])).toBe(
    '::error file=campaigns/spring.yaml,line=7,endLine=7,col=8,endColumn=19,title=variable-case::step 1, email_body: {first_name} is no variable.%0A→ Write {FIRST_NAME}.\n',
  );
  expect(renderFindingsGithub([finding({ severity: 'warning', hint: '' })])).toBe(
    '::warning file=campaigns/spring.yaml,line=7,endLine=7,col=8,endColumn=19,title=variable-case::step 1, email_body: {first_name} is no variable.\n',
  );
  expect(renderFindingsGithub([])).toBe('');
});

test('what separates the parts of a command is escaped, more so in a property than in the message', () => {
  const odd = finding({ file: 'a, b: 50%.yaml', message: '100%, really: %0A', hint: '' });
  expect(renderFindingsGithub([odd])).toBe(
    '::error file=a%2C b%3A 50%25.yaml,line=7,endLine=7,col=8,endColumn=19,title=variable-case::100%25, really: %250A\n',
  );
});

test('errors come before warnings, and the first of each kind in each file before the second', () => {
  const many = [
    ...Array.from({ length: 12 }, (_, index) => finding({ line: index + 1 })),
    finding({ severity: 'warning', code: 'liquid', line: 3 }),
    finding({ code: 'wrong-value', line: 90 }),
    finding({ file: 'campaigns/zoo.yaml', line: 1 }),
  ];
  const shown = commandsIn(renderFindingsGithub(many)).map(
    ({ name, properties }) => `${name} ${properties.file}:${properties.line} ${properties.title}`,
  );
  expect(shown).toEqual([
    'error campaigns/spring.yaml:1 variable-case',
    'error campaigns/spring.yaml:90 wrong-value',
    'error campaigns/zoo.yaml:1 variable-case',
    ...[2, 3, 4, 5, 6, 7, 8].map((line) => `error campaigns/spring.yaml:${line} variable-case`),
    'warning campaigns/spring.yaml:3 liquid',
    'notice undefined:undefined 4 more errors in the log',
  ]);
});

test('no more than GitHub shows is sent, and one last line says how many are left', () => {
  const warnings = Array.from({ length: 11 }, (_, index) =>
    finding({ severity: 'warning', line: index + 1 }),
  );
  const errors = Array.from({ length: 1_210 }, (_, index) => finding({ line: index + 1 }));
  const commands = commandsIn(renderFindingsGithub([...warnings, ...errors]));
  expect(commands.filter(({ name }) => name === 'error')).toHaveLength(10);
  expect(commands.filter(({ name }) => name === 'warning')).toHaveLength(10);
  expect(commands.slice(20)).toEqual([
    {
      name: 'notice',
      properties: { title: '1,200 more errors and 1 more warning in the log' },
      text: 'GitHub shows 10 errors and 10 warnings of a step. There are 1,200 more errors and 1 more warning: the log of this step has them all.',
    },
  ]);
  expect(renderFindingsGithub(errors.slice(0, 10))).not.toContain('::notice');
});

test('the runner reads back what was meant and nothing else, whatever stands in a finding', () => {
  fc.assert(
    fc.property(hostileFindings, (findings) => {
      const log = renderFindingsGithub(findings);
      const commands = commandsIn(log).filter(({ name }) => name !== 'notice');
      expect(log.split('\n')).toHaveLength(commandsIn(log).length + 1);
      const meant = new Set(
        findings.map(({ severity, file, line, column, length, code }) =>
          JSON.stringify([severity, file, `${line}`, `${line}`, `${column}`, `${column + length - 1}`, code]),
        ),
      );
      for (const { name, properties, text } of commands) {
        expect(meant).toContain(JSON.stringify([name, ...Object.values(properties)]));
        expect(text).not.toMatch(MOVES);
        expect(commandsIn(text)).toEqual([]);
      }
      const first = findings.find(({ severity }) => severity === 'error');
      if (first !== undefined)
        expect(commands[0]?.text.length).toBeGreaterThanOrEqual(visibleLine(first.message).length);
      expect(visible(log)).not.toMatch(MOVES);
      expect(commandsIn(visible(log)).map(({ name }) => name)).toEqual(
        commandsIn(log).map(({ name }) => name),
      );
    }),
    { numRuns: 500 },
  );
});
