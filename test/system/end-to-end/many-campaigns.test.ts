/** One manifest for several campaigns with shared pieces, against a service: planned, applied, unchanged after that. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const FILES = {
  'campaigns/installers.yaml': `for_each:
  - { segment: France, cap: 200, list: fr }
  - { segment: Spain, cap: 100, list: es }
name: Installers \${{ segment }}
settings: { max_emails_per_day: "\${{ cap }}", reputation_building: true }
sequence: { use: ../shared/sequence.yaml }
leads: { lists: ["\${{ list }}"] }
`,
  'shared/sequence.yaml': `title: Installers
steps:
  - { email_subject: "In \${{ segment }}", email_body_file: body.html, wait_in_days: 3 }
`,
  'shared/body.html': '<p>Hi {FIRST_NAME} in ${{ segment }}, $${{ that is all }}</p>\n',
};

const project = (url: string) => `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { fr: 77, es: 78 } }
lint: { liquid: off, new-leads-above-emails: off }
`;

async function inProject(
  use: (
    folder: string,
    service: TestService,
    run: (...argv: string[]) => ReturnType<typeof command>,
  ) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  services.push(service);
  await withFolder(async (folder) => {
    await writeFiles(folder, { ...FILES, 'campaignctl.yaml': project(service.url) });
    await use(folder, service, (...argv) => command(folder, argv));
  });
  expect(service.violations).toEqual([]);
}

/** Replaces a text in a file. */
async function edit(file: string, from: string, to: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}

test('each campaign gets its values, and the second plan is empty, in another order too', () =>
  inProject(async (folder, service, run) => {
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    const written = service.writes().map(({ path, body }) => [path, body]);
    const [france, spain] = ['France', 'Spain'].map((segment) => ({
      title: 'Installers',
      sequence_steps: [
        expect.objectContaining({
          email_subject: `In ${segment}`,
          email_body: `<p>Hi {FIRST_NAME} in ${segment}, \${{ that is all }}</p>\n`,
        }),
      ],
    }));
    const bodies = written.map(([, body]) => body);
    expect(bodies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Installers France' }),
        expect.objectContaining({ name: 'Installers Spain' }),
        expect.objectContaining({ max_emails_per_day: 200 }),
        expect.objectContaining({ max_emails_per_day: 100 }),
        france,
        spain,
        expect.objectContaining({ lead_list_id: 77 }),
        expect.objectContaining({ lead_list_id: 78 }),
      ]),
    );
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
    const manifest = join(folder, 'campaigns/installers.yaml');
    const entry = '  - { segment: France, cap: 200, list: fr }\n';
    await edit(manifest, entry, '');
    await edit(manifest, 'name: ', `${entry}name: `);
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
    await edit(manifest, 'cap: 100', 'cap: 150');
    const planned = JSON.parse((await run('plan', '--format', 'json')).out);
    expect(
      planned.campaigns.map(({ manifest: name, action }: Record<string, string>) => [name, action]),
    ).toEqual([
      ['campaigns/installers.yaml[Spain]', 'change'],
      ['campaigns/installers.yaml[France]', 'none'],
    ]);
  }));

test('a saved plan is refused when a piece or the body of a piece has changed', () =>
  inProject(async (folder, service, run) => {
    for (const [file, from] of [
      ['shared/sequence.yaml', 'wait_in_days: 3'],
      ['shared/body.html', 'Hi '],
    ] as const) {
      expect(await run('plan', '--out', 'p.json')).toMatchObject({ code: 0 });
      const before = await readFile(join(folder, file), 'utf8');
      await edit(join(folder, file), from, `${from}4`);
      const applied = await run('apply', '--plan', 'p.json', '--yes');
      expect(applied).toMatchObject({ code: 3, err: expect.stringContaining('[Spain] has changed') });
      await writeFile(join(folder, file), before);
    }
    expect(service.writes()).toEqual([]);
  }));

test('what is wrong is shown where it is written, once', () =>
  inProject(async (folder, _, run) => {
    await edit(join(folder, 'shared/sequence.yaml'), 'Installers', 'For ${{ segmnt }}');
    await edit(join(folder, 'campaigns/installers.yaml'), 'cap: 100', 'cap: many');
    await writeFiles(folder, {
      'campaigns/other.yaml':
        'for_each: [{ segment: x }]\nname: Other ${{ segment }}\nsequence: { use: ../shared/sequence.yaml }\n',
    });
    const { code, out } = await run('validate');
    expect(code).toBe(1);
    expect(
      out,
    ).toBe(`campaigns/installers.yaml:5:33  error  settings.max_emails_per_day: expected a whole number or null, found text "many" (for Spain).  [wrong-type]
  5 │ settings: { max_emails_per_day: "\${{ cap }}", reputation_building: true }
    │                                 ^^^^^^^^^^^^
  → Write digits only. The value comes from for_each.

shared/sequence.yaml:1:12  error  There is no value named "segmnt".  [unknown-value]
  1 │ title: For \${{ segmnt }}
    │            ^^^^^^^^^^^^^
  → Did you mean "segment"? Given are: segment, cap, list.

2 errors in 2 manifests.
`);
  }));

test('a section that the patterns match is said to be one', () =>
  inProject(async (folder, _, run) => {
    await edit(join(folder, 'campaignctl.yaml'), 'campaigns/*.yaml', 'campaigns/*.yaml, shared/*.yaml');
    const { out } = await run('validate');
    expect(out).toBe(`shared/sequence.yaml:1:1  error  This is a sequence, not a manifest.  [shared-piece]
  1 │ title: Installers
    │ ^^^^^^^^^^^^^^^^^
  → A manifest includes it with sequence: { use: … }. Exclude it with "!shared/sequence.yaml" under
  manifests in the project file, or move it to another folder.

1 error in 2 manifests.
`);
    await edit(
      join(folder, 'campaignctl.yaml'),
      ', shared/*.yaml',
      ", shared/*.yaml, '!shared/sequence.yaml'",
    );
  }));
