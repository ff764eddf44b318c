import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { parseConfig } from '../../src/project/config.js';
import { BREAKS, breakAll } from './breaks.js';
import { check } from './check.js';
import { type Source, source } from './sources.js';

interface Seen {
  value: string;
  findings: { file: string; line: number; code: string; message: string; hint: string }[];
}

const MAIN = 'campaigns/spring.yaml';

function read({ kind, text }: Source): Seen {
  if (kind === 'project') return readProject(text);
  const section = /^days:/m.test(text) ? 'schedule' : 'sequence';
  const files: Record<string, string> =
    kind === 'manifest'
      ? { [MAIN]: text }
      : { [MAIN]: `name: Spring\n${section}: { use: ../piece.yaml }\n`, 'piece.yaml': text };
  const { campaigns, findings } = check(files);
  return { value: JSON.stringify(campaigns), findings };
}

function readProject(text: string): Seen {
  try {
    return { value: JSON.stringify(parseConfig('campaignctl.yaml', text).value), findings: [] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { value: 'invalid', findings: [...error.findings] };
  }
}

/** A break that changes nothing, such as another indentation of the only key of a section, is not one. */
function judge({ kind, text, line }: Source & { line: number }, before: Seen): 'harmless' | 'named' | string {
  const after = read({ kind, text });
  const known = new Set(before.findings.map(({ code, message }) => code + message));
  const news = after.findings.filter(({ code, message }) => !known.has(code + message));
  if (news.length === 0 && after.value === before.value) return 'harmless';
  const [first] = news;
  const lines = first === undefined ? [] : [first.line, ...numbersIn(`${first.message} ${first.hint}`)];
  if (news.length <= 2 && lines.includes(line)) return 'named';
  return news.map((finding) => `${finding.line}: ${finding.message}`).join('\n') || 'nothing';
}

function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(/\b[Ll]ines? (\d+)(?:, (\d+))*/g), ([whole]) => whole.match(/\d+/g) ?? [])
    .flat()
    .map(Number);
}

const broken = fc
  .record({ source, kind: fc.constantFrom(...Object.keys(BREAKS)), place: fc.nat() })
  .map(({ source: { kind, text }, kind: name, place }) => {
    const all = breakAll(text, name);
    const one = all[place % Math.max(1, all.length)];
    return one === undefined ? null : { name, before: { kind, text }, after: { kind, ...one } };
  });

test('of a break at one place, at most two messages tell, and the first one names the line, in 95 of 100', {
  timeout: 120_000,
}, () => {
  const runs = fc.readConfigureGlobal().numRuns ?? 50;
  const results: { name: string; result: string; text: string }[] = [];
  for (const draw of fc.sample(broken, runs * 3)) {
    if (draw === null || results.length === runs) continue;
    const result = judge(draw.after, read(draw.before));
    if (result !== 'harmless')
      results.push({ name: draw.name, result, text: around(draw.after.text, draw.after.line) });
  }
  const wrong = results.filter(({ result }) => result !== 'named');
  const shown = wrong.map(({ name, result, text }) => `${name}:\n${text}\n→ ${result}`);
  expect(results.length).toBeGreaterThan(runs * 0.9);
  expect(shown.slice(0, wrong.length > results.length * 0.05 ? 10 : 0)).toEqual([]);
});

function around(text: string, line: number): string {
  return text
    .split('\n')
    .slice(Math.max(0, line - 3), line + 2)
    .join('\n');
}
