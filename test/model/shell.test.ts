import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuoted, shellWord } from '../../src/model/shell.js';
import { problem } from '../../src/plan/messages.js';
import { projectFlags } from '../../src/view/projects.js';
import { listedCampaign } from '../support/campaigns.js';

/** The words that a shell passes to a command. */
const wordsOf = (typed: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${typed}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '$', '`', '"', "'", '\\', '!', '/', 'é'),
  minLength: 1,
});

it('a quoted text is one word, whatever it contains', () => {
  const check = (name: string) => {
    expect(wordsOf(`${shellQuoted(name)} ${shellWord(name)}`)).toEqual([name, name]);
  };
  fc.assert(fc.property(text, check), { numRuns: 20 });
});

it('a folder in the flags of a project is one word', () => {
  const flags = projectFlags({ project: 'clients/a $HOME', environment: 'production' });
  expect(wordsOf(flags)).toEqual(['-C', 'clients/a $HOME', '--env', 'production']);
});

it('a name in a command of a message is one word', () => {
  const { hint } = problem('rename', 'Deal $5', listedCampaign(9, 'Summer', null), null);
  const [, typed = ''] = /campaignctl import --update (.*)\. To/.exec(hint) ?? [];
  expect(wordsOf(typed)).toEqual(['Deal $5']);
});
