import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderFindingsJunit } from '../../src/view/findings.js';
import { printable } from '../../src/view/terminal.js';
import { finding, hostileFindings, MOVES } from './findings.js';
import { parseXml } from './xml.js';

test('a file has a suite, and in it a case for each kind of problem; warnings pass', () => {
  const findings = [
    finding(),
    finding({ line: 9, message: 'Another.', hint: '' }),
    finding({
      code: 'liquid',
      severity: 'warning',
      message: '{{ x }} is Liquid.',
      hint: '',
      column: 1,
      length: 2,
    }),
  ];
  expect(renderFindingsJunit(findings, ['emails/a.html', 'campaigns/spring.yaml'])).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="campaignctl validate" tests="3" failures="1" errors="0">
<testsuite name="campaigns/spring.yaml" tests="2" failures="1" errors="0" skipped="0">
<testcase classname="campaignctl.validate" name="campaigns/spring.yaml: variable-case" file="campaigns/spring.yaml" time="0">
<failure message="line 7: step 1, email_body: {first_name} is no variable. (and 1 more)" type="variable-case">campaigns/spring.yaml:7:8  error  step 1, email_body: {first_name} is no variable.  [variable-case]
  7 │     Hi {first_name}, worth a look?
    │        ^^^^^^^^^^^^
  → Write {FIRST_NAME}.

campaigns/spring.yaml:9:8  error  Another.  [variable-case]
  9 │     Hi {first_name}, worth a look?
    │        ^^^^^^^^^^^^</failure>
</testcase>
<testcase classname="campaignctl.validate" name="campaigns/spring.yaml: liquid" file="campaigns/spring.yaml" time="0">
<system-out>campaigns/spring.yaml:7:1  warning  {{ x }} is Liquid.  [liquid]
  7 │     Hi {first_name}, worth a look?
    │ ^^</system-out>
</testcase>
</testsuite>
<testsuite name="emails/a.html" tests="1" failures="0" errors="0" skipped="0">
<testcase classname="campaignctl.validate" name="emails/a.html" file="emails/a.html" time="0"/>
</testsuite>
</testsuites>
`,
  );
});

test('a report of nothing is a report', () => {
  expect(parseXml(renderFindingsJunit([], []))).toMatchObject({
    name: 'testsuites',
    attributes: { tests: '0', failures: '0', errors: '0' },
    children: [],
  });
});

test('a file that could not be read is in the report by its finding alone', () => {
  const report = parseXml(
    renderFindingsJunit([finding({ file: 'campaigns/gone.yaml' })], ['campaigns/a.yaml']),
  );
  expect(report.children.map(({ attributes }) => [attributes.name, attributes.failures])).toEqual([
    ['campaigns/a.yaml', '0'],
    ['campaigns/gone.yaml', '1'],
  ]);
});

test('markup, quotes, line breaks and what XML cannot hold are written so that they can be read', () => {
  const odd = finding({ message: '<b a="1">&amp;\'\n]]>\u0000\ud800\uffff', hint: '', file: 'a<"&\n.yaml' });
  const [suite] = parseXml(renderFindingsJunit([odd], [])).children;
  expect(suite?.attributes.name).toBe('a<"&⏎.yaml');
  const failure = suite?.children[0]?.children[0];
  expect(failure?.attributes.message).toBe('line 7: <b a="1">&amp;\'⏎]]><U+0000>\ufffd\ufffd');
});

describe('whatever stands in the findings', () => {
  test('the report is well-formed and counts what it holds', () => {
    fc.assert(
      fc.property(hostileFindings, (findings) => {
        const xml = renderFindingsJunit(findings, ['campaigns/a.yaml']);
        const report = parseXml(xml);
        const cases = report.children.flatMap(({ children }) => children);
        const failures = cases.filter(({ children }) => children.some(({ name }) => name === 'failure'));
        expect(report.attributes).toMatchObject({ tests: `${cases.length}`, failures: `${failures.length}` });
        for (const { attributes, children } of report.children)
          expect(attributes.tests).toBe(`${children.length}`);
        expect(failures.length > 0).toBe(findings.some(({ severity }) => severity === 'error'));
        expect(xml).not.toMatch(MOVES);
        expect(printable(xml)).toBe(xml);
      }),
      { numRuns: 500 },
    );
  });
});
