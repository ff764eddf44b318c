import { expect, test } from 'vitest';
import { memoryRemote } from '../support/branch.js';
import { withProject } from '../support/project.js';
import { stateKeys } from '../support/state.js';

test('an apply pushes three times, and once more for each attachment; one with nothing to send, twice', () => {
  const remote = memoryRemote();
  const environment = `${stateKeys('on a branch')}    lead_lists: { a: 12, b: 13 }\n`;
  const spring = 'name: Spring\nsettings: { plain_text: true, reputation_building: true }\n';
  return withProject({ environment, remote }, async ({ exits, edit, write }) => {
    let before = 0;
    const pushes = async () => {
      await exits(0, 'apply --yes');
      const now = remote.subjects('campaignctl/production').length;
      const since = now - before;
      before = now;
      return since;
    };
    await write({ 'campaigns/spring.yaml': `${spring}leads: { lists: [a, b], ids: [1] }\n` });
    expect(await pushes()).toBe(3 + 3);
    expect(await pushes()).toBe(2);
    await edit('campaigns/spring.yaml', 'plain_text: true', 'plain_text: false');
    expect(await pushes()).toBe(3);
    const others = ['Summer', 'Autumn', 'Winter'].map(
      (name, at) => `name: ${name}\nleads: { ids: [${at + 2}] }\n`,
    );
    await write({ 'campaigns/others.yaml': others.join('---\n') });
    expect(await pushes()).toBeLessThanOrEqual(3 + 3);
  });
});
