/** Runners and report parsers read findings correctly, whatever they contain. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFindingsGithub, renderFindingsJunit } from '../../src/view/reports.js';
import { printable, visible, visibleLine } from '../../src/view/terminal.js';
import { hostileFindings, MOVES } from './findings.js';
import { commandsIn } from './runner.js';
import { parseXml } from './xml.js';

test('annotations: the runner reads back exactly the findings', () => {
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

test('JUnit: the report is well-formed and its counts are correct', () => {
  fc.assert(
    fc.property(hostileFindings, (findings) => {
      const xml = renderFindingsJunit(findings, ['campaigns/a.yaml']);
      const report = parseXml(xml);
      const cases = report.children.flatMap(({ children }) => children);
      const failures = cases.filter(({ children }) => children.some(({ name }) => name === 'failure'));
      expect(report.attributes).toMatchObject({
        tests: `${cases.length}`,
        failures: `${failures.length}`,
      });
      for (const { attributes, children } of report.children)
        expect(attributes.tests).toBe(`${children.length}`);
      expect(failures.length > 0).toBe(findings.some(({ severity }) => severity === 'error'));
      expect(xml).not.toMatch(MOVES);
      expect(printable(xml)).toBe(xml);
    }),
    { numRuns: 500 },
  );
});
