import { expect, test } from 'vitest';
import type { LocatedFinding } from '../../src/model/outputs.js';
import { tellWarnings } from '../../src/operations/validate.js';
import { finding } from '../view/findings.js';

function told(findings: readonly LocatedFinding[], shown: number): string {
  let said = '';
  const err = (text: string) => {
    said += text;
  };
  tellWarnings(findings, { file: 'campaignctl.yaml', shown }, { err });
  return said;
}

test('warnings that the report does not show are counted apart from those that it shows', () => {
  const warning = finding({ severity: 'warning' });
  expect(told([warning], 2)).toBe(
    'The manifests have 1 more warning than are shown with the campaigns: run campaignctl validate to see all 3.\n',
  );
  expect(told([warning], 0)).toBe('The manifests have 1 warning: run campaignctl validate to see it.\n');
  expect(told([{ ...warning, file: 'campaignctl.yaml' }], 2)).toBe(
    'campaignctl.yaml has 1 warning: run campaignctl validate to see it.\n',
  );
});
