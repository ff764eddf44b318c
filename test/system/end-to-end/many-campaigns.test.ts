/** One manifest for several campaigns with shared pieces, against a service: planned, applied, unchanged after that. */
import { expect, test } from 'vitest';
import { type Project, withProject } from '../../support/project.js';

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

const withInstallers = (use: (project: Project) => Promise<void>) =>
  withProject(
    {
      environment: `    lead_lists: { fr: 77, es: 78 }
lint: { liquid: off, new-leads-above-emails: off }
`,
      files: FILES,
    },
    use,
  );
const INSTALLERS = 'campaigns/installers.yaml';
const SEQUENCE = 'shared/sequence.yaml';

test('each campaign gets its values, and the second plan is empty, in another order too', () =>
  withInstallers(async ({ edit, exits, plan, service }) => {
    await exits(0, 'apply --yes');
    const bodyOf = (segment: string, max_emails_per_day: number, lead_list_id: number) => [
      { name: `Installers ${segment}` },
      { max_emails_per_day },
      { lead_list_id },
      {
        title: 'Installers',
        sequence_steps: [
          expect.objectContaining({
            email_subject: `In ${segment}`,
            email_body: `<p>Hi {FIRST_NAME} in ${segment}, \${{ that is all }}</p>\n`,
          }),
        ],
      },
    ];
    const bodies = [...bodyOf('France', 200, 77), ...bodyOf('Spain', 100, 78)];
    expect(service.writes().map(({ body }) => body)).toEqual(
      expect.arrayContaining(bodies.map((body) => expect.objectContaining(body))),
    );
    await exits(0, 'plan --detailed-exitcode');
    const entry = '  - { segment: France, cap: 200, list: fr }\n';
    await edit(INSTALLERS, entry, '');
    await edit(INSTALLERS, 'name: ', `${entry}name: `);
    await exits(0, 'plan --detailed-exitcode');
    await edit(INSTALLERS, 'cap: 100', 'cap: 150');
    expect((await plan()).campaigns.map(({ manifest, action }) => [manifest, action])).toEqual([
      ['campaigns/installers.yaml[Spain]', 'change'],
      ['campaigns/installers.yaml[France]', 'none'],
    ]);
  }));

test.each([
  [SEQUENCE, 'wait_in_days: 3'],
  ['shared/body.html', 'Hi '],
])('a saved plan is refused when a piece has changed: %s', (file, from) =>
  withInstallers(async ({ edit, exits, sent }) => {
    await exits(0, 'plan --out p.json');
    await edit(file, from, `${from}4`);
    expect((await exits(3, 'apply --plan p.json --yes')).err).toContain('[Spain] has changed');
    expect(sent()).toEqual([]);
  }),
);

test('what is wrong is shown where it is written, once', () =>
  withInstallers(async ({ edit, exits, write }) => {
    await edit(SEQUENCE, 'Installers', 'For ${{ segmnt }}');
    await edit(INSTALLERS, 'cap: 100', 'cap: many');
    await write({
      'campaigns/other.yaml':
        'for_each: [{ segment: x }]\nname: Other ${{ segment }}\nsequence: { use: ../shared/sequence.yaml }\n',
    });
    const { out } = await exits(1, 'validate');
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
  withInstallers(async ({ edit, run }) => {
    await edit('campaignctl.yaml', 'campaigns/**/*.yaml', 'campaigns/*.yaml, shared/*.yaml');
    const { out } = await run('validate');
    expect(out).toBe(`shared/sequence.yaml:1:1  error  This is a sequence, not a manifest.  [shared-piece]
  1 │ title: Installers
    │ ^^^^^^^^^^^^^^^^^
  → A manifest includes it with sequence: { use: … }. Exclude it with "!shared/sequence.yaml" under
  manifests in the project file, or move it to a different folder.

1 error in 2 manifests.
`);
  }));
