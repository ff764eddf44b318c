/** A plan is shown in each format as the saved plan is. */
import { expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const FILES = {
  'campaignctl.yaml': 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  local: { sandbox: {} }\n',
  'campaigns/spring.yaml': 'name: Spring\nsettings: { max_emails_per_day: 5 }\n',
};

test('a plan is shown in each format, and the same from a saved plan', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const saved = await command(folder, ['plan', '--out', 'saved.json']);
    expect(saved).toMatchObject({ code: 0, err: expect.stringContaining('Saved the plan to saved.json') });
    for (const format of ['markdown', 'html', 'json', 'text']) {
      const planned = await command(folder, ['plan', '--format', format]);
      expect(await command(folder, ['show', 'saved.json', '--format', format])).toEqual({
        ...planned,
        err: '',
      });
      if (format === 'markdown')
        expect(planned.out).toMatch(
          /^### Plan for `local`: 1 to create, 0 unchanged · 1 warning · 2 requests\n/,
        );
    }
  }));
