import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Failure, toProblem } from '../../src/model/failure.js';
import type { Problem } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { SECTIONS } from '../../src/sections/index.js';
import { contradiction } from '../../src/sections/status.js';
import { page, readCases } from '../support/cases.js';
import { type Known, liveContext, newContext, type Shown } from '../support/context.js';
import { planSection } from '../support/works.js';

interface Case extends Known {
  spec?: Partial<CampaignSpec>;
  shown?: Shown;
  isNew?: boolean;
}

function problems({ spec = {}, shown = {}, isNew = false, ...known }: Case): Problem[] {
  try {
    const context = isNew ? newContext(spec, known) : liveContext(spec, shown, known);
    const planned = SECTIONS.flatMap((section) => planSection(section, context).problems);
    return [...planned, ...contradiction(context)];
  } catch (error) {
    if (error instanceof Failure) return [toProblem(error)];
    throw error;
  }
}

test('the page shows each problem of the sections', async () => {
  const cases = readCases<Case[]>(import.meta.dirname, 'problems');
  const sources = readdirSync('src/sections').map((file) => readFileSync(`src/sections/${file}`, 'utf8'));
  const codes = sources.join('\n').matchAll(/code: (?:.+ \? )?'([a-z-]+)'(?: : '([a-z-]+)')?/g);
  const known = [...codes].flatMap(([, code, other]) => [code, other].filter(Boolean));
  expect(cases.map(([code]) => code).sort()).toEqual([...known, 'unreadable-answer'].sort());
  const shown = cases.flatMap(([code, all]) =>
    all.map((campaign) => problems(campaign).filter((problem) => problem.code === code)),
  );
  expect(shown.filter((messages) => messages.length === 0)).toEqual([]);
  await expect(page(shown.flat())).toMatchFileSnapshot('golden/problems.txt');
});
