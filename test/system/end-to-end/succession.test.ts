import { expect, it } from 'vitest';
import type { Problem } from '../../../src/model/outputs.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { draft } from '../../support/service/store.js';

const manifest = (name: string, greeting: string, more = '') => `name: ${name}
${more}settings: { max_emails_per_day: 200, max_new_leads_per_day: 50, reputation_building: false }
${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "${greeting} {FIRST_NAME}, worth a look?", wait_in_days: 3 }
    - { email_subject: Once more, email_body: "Still there, {FIRST_NAME}?", wait_in_days: 2 }
leads: { lists: [77] }
status: running
`;

/** Without markup and line breaks. */
const readable = (out: string) =>
  out
    .replace(/<[^>]*>/g, ' ')
    .replace(/&[a-z]+;/g, ' ')
    .replace(/\s+/g, ' ');

const ALLOW = '--yes --allow launch --allow shared-leads';

/** Spring is running. Its manifest has new copy and the name of a campaign that replaces it. */
const replacing = (use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaigns/spring.yaml': manifest('Spring', 'Hi') } }, async (project) => {
    await project.exits(0, `apply ${ALLOW}`);
    await project.write({ 'campaigns/spring.yaml': manifest('Spring 2', 'Hello', 'replaces: Spring\n') });
    await use(project);
  });

it('is planned as a pause, a creation and a launch, and its emails are compared with the old ones', () =>
  replacing(async ({ plan }) => {
    const { campaigns, replaced, summary } = await plan();
    expect(campaigns[0]?.replaces).toEqual({
      id: 101,
      name: 'Spring',
      status: 'active',
      running: true,
      copy: [
        {
          section: 'sequence',
          path: 'steps[0].email_body',
          kind: 'update',
          note: null,
          from: 'Hi {FIRST_NAME}, worth a look?',
          to: 'Hello {FIRST_NAME}, worth a look?',
        },
      ],
      settings: [],
      schedule: [],
      stops: { lists: [], list_names: [], ids: [], leads: null },
    });
    expect(replaced).toMatchObject([
      { step: { id: 'pause', method: 'PATCH', path: '/api/campaigns/101/pause', irreversible: false } },
    ]);
    expect(summary).toMatchObject({ create: 1, launch: 1, pause: 1, requests: 7 });
  }));

it.each([
  ['plan --format text', 'succession.txt'],
  ['plan --format markdown', 'succession.md'],
  ['plan --format text --full', 'succession-full.txt'],
])('has the same words in %s as in %s', (line, file) =>
  replacing(async ({ run, service }) => {
    const { out } = await run(line);
    const shown = out.replaceAll(service.url, 'https://send.example.com').replace(/`[0-9a-f]{12}`/, '`…`');
    await expect(shown).toMatchFileSnapshot(`golden/${file}`);
  }),
);

it('is compared with the replaced campaign on the page', () =>
  replacing(async ({ run }) => {
    const { out } = await run('plan --format html');
    expect(out).toContain('2 emails, compared with');
    // The change stands once, with its email.
    expect(out.split('step 1: email_body')).toHaveLength(2);
    expect(out).toMatch(
      /<h5>Email 1<\/h5>[^\n]*step 1: email_body <del>Hi \{FIRST_NAME\}, worth a look\?<\/del> → <ins>Hello/,
    );
    // The changed email is shown as it is today and as it will be.
    expect(out.match(/<figcaption>(?:Today|After this plan)</g)).toEqual([
      '<figcaption>Today<',
      '<figcaption>After this plan<',
    ]);
    expect(out).not.toContain('step 2: email_body');
  }));

it.each(['text', 'markdown', 'html'])(
  'as %s, shows changed settings and hours, every email, the leads that stop, and what a person carries over',
  (format) =>
    replacing(async ({ edit, exits, run }) => {
      await edit('campaigns/spring.yaml', 'max_emails_per_day: 200, ', 'max_emails_per_day: 150, ');
      await edit('campaigns/spring.yaml', 'max_new_leads_per_day: 50, ', '');
      await edit('campaigns/spring.yaml', 'start_time: "09:00"', 'start_time: "08:00"');
      await edit('campaigns/spring.yaml', 'lists: [77]', 'ids: [5]');
      await edit('campaigns/spring.yaml', 'title: Spring', 'title: Summer');
      const { out: page } = await run(`plan --format ${format}`);
      const out = readable(page);
      expect(out).toMatch(/max_emails_per_day\W+200\W+150/);
      expect(out).toMatch(/max_new_leads_per_day\W+50\W+1,?000[^\n]*not in the manifest/);
      expect(out).toMatch(/start_time\W+09:00\W+08:00/);
      // The service hides titles, which does not matter for a new sequence.
      expect(out).toMatch(/title\W+Spring\W+Summer(?! +\(?not shown)/);
      expect(page).toContain('Still there, ');
      expect(out).toMatch(/Spring stops: .*lead list 77.* get no further emails/);
      expect(out).toMatch(/carry over attachments, tags/i);
      await exits(0, `apply ${ALLOW}`);
      expect((await run(`plan --format ${format}`)).out).not.toMatch(/carry over/i);
    }),
);

it.each(['text', 'json'])('an apply as %s names both campaigns with their ids, each in its role', (format) =>
  replacing(async ({ exits }) => {
    const { out } = await exits(0, `apply ${ALLOW} --format ${format}`);
    if (format === 'json') {
      const task = { does: 'carry', campaign: 'Spring 2', id: 102, from: 'Spring', replaces: 101 };
      return expect(JSON.parse(out).by_hand).toMatchObject([task]);
    }
    const end = readable(out.slice(out.indexOf('To do by hand', out.indexOf('Apply to production'))));
    expect(end).toContain('1 Spring 2 (id 102) [ ] carry over attachments, tags, sender accounts');
    expect(end).toContain(
      'from "Spring" (id 101): apply cannot, because the API does not show them The next',
    );
    expect(end).toContain('what to carry over, only if it still has to create or launch the campaign.');
  }),
);

it.each([
  ['not shown', {}, 'Spring stops: leads that only it has (the state knows none) get no further emails'],
  ['shown', { shape: { totals: 'shown' as const } }, 'Spring stops: this campaign has all its leads'],
])(
  'if all known leads move to the successor and their number is %s, the plan says so',
  (_, options, words) => {
    const known = (text: string) => text.replace('lists: [77]', 'ids: [1, 2, 3, 4]');
    const files = { 'campaigns/spring.yaml': known(manifest('Spring', 'Hi')) };
    return withProject({ files, ...options }, async ({ exits, run, write }) => {
      await exits(0, `apply ${ALLOW}`);
      await write({ 'campaigns/spring.yaml': known(manifest('Spring 2', 'Hello', 'replaces: Spring\n')) });
      for (const form of ['text', 'markdown', 'html']) {
        const out = readable((await run(`plan --format ${form}`)).out);
        expect(out).toContain('1 campaign with 4 leads stops sending: Spring');
        expect(out).toContain(words);
      }
    });
  },
);

it('an apply shows the campaigns in the order of sending, and counts them as the plan does', () =>
  replacing(async ({ exits }) => {
    const { out } = await exits(0, `apply ${ALLOW}`);
    expect(readable(out)).toContain('1 to create, 0 unchanged · 1 launch · 1 pause');
    const result = out.slice(out.indexOf('Apply to production'));
    expect(result.match(/^✓ .*?(?= {2})/gm)).toEqual(['✓ Spring', '✓ Spring 2']);
    expect(result).toMatch(/\n1 created, 0 unchanged · 1 launched · 1 paused\. Run \w+-[0-9a-f]{6}\n$/);
  }));

it('two blocked campaigns get different names', () => {
  const manifests = [22, 23].map((segment): [string, string] => [
    `campaigns/${segment}.yaml`,
    `name: Segment ${segment}\n${REST}`,
  ]);
  return withProject({ files: Object.fromEntries(manifests) }, async ({ edit, exits, plan }) => {
    await exits(0, 'apply --yes');
    for (const [file] of manifests) await edit(file, OLD, NEW);
    const names = (await plan()).campaigns.map(({ problems }) => problems.find(lined)?.lines?.[0]);
    expect(names).toEqual(['name: Segment 22 v2', 'name: Segment 23 v2']);
  });
});

/**
 * The problem of blocked copy contains lines. Inserted where the plan says, they create a campaign that replaces the old
 * one.
 */
const [OLD, NEW] = ['An address is enough.', 'A street and a town are enough.'];
const REST = `${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "${OLD}", wait_in_days: 3 }
`;

interface Case {
  files: Record<string, string>;
  live?: { id: number; name: string }[];
  becomes: Record<string, string>;
  /** The sentence that says where the lines go, without the file. */
  where?: string;
}

const CASES: [string, Case][] = [
  ['plain', { files: { 'spring.yaml': `name: Spring\n${REST}` }, becomes: { 'Spring v2': 'Spring' } }],
  [
    'CRLF, and a comment behind the name',
    {
      files: { 'spring.yaml': `# ours\nname: Spring # of all\n${REST}`.replaceAll('\n', '\r\n') },
      becomes: { 'Spring v2': 'Spring' },
    },
  ],
  [
    'the second document of a file',
    {
      files: { 'spring.yaml': `name: Autumn\nsettings: { plain_text: true }\n---\nname: Spring\n${REST}` },
      becomes: { 'Spring v2': 'Spring' },
      where: ', document 2 in place of its name:',
    },
  ],
  [
    'a body in a file, and a name that has to be quoted',
    {
      files: {
        'spring.yaml': `name: "Spring: #1"\n${REST.replace(`email_body: "${OLD}"`, 'email_body_file: ../emails/spring.html')}`,
        '../emails/spring.html': OLD,
      },
      becomes: { 'Spring: #1 v2': 'Spring: #1' },
    },
  ],
  [
    'a name that is taken',
    {
      files: { 'spring.yaml': `name: Spring\n${REST}`, 'other.yaml': 'name: Spring v3\n' },
      live: [{ id: 50, name: 'Spring v2' }],
      becomes: { 'Spring v5': 'Spring' },
    },
  ],
  [
    'one that has replaced another one',
    {
      files: { 'spring.yaml': `name: Spring v2\nreplaces: Winter\n${REST}` },
      live: [{ id: 50, name: 'Winter' }],
      becomes: { 'Spring v3': 'Spring v2' },
      where: ' in place of its name and replaces:',
    },
  ],
  [
    'a pin, of a campaign with another name',
    {
      files: { 'spring.yaml': `name: Spring\nid: 50\n${REST}` },
      live: [{ id: 50, name: 'Spring as it was' }],
      becomes: { 'Spring v2': 'Spring as it was' },
      where: ' in place of its name and id:',
    },
  ],
];

const lined = ({ lines }: Problem) => lines !== undefined;
const PLACE = /write these lines in campaigns\/([\w.]+)((?:, document (\d+))? in place of its ([\w ]+):)$/;

/** The text with the lines inserted. */
function pasted(text: string, [, , , document = '1', keys = '']: RegExpExecArray, lines: string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const documents = text.split(`---${end}`);
  const at = Number(document) - 1;
  const written = (documents[at] ?? '').split(end);
  const places = keys.split(' and ').map((key) => written.findIndex((line) => line.startsWith(`${key}:`)));
  expect(places).not.toContain(-1);
  const kept = written.flatMap((line, index) =>
    index === places[0] ? lines : places.includes(index) ? [] : [line],
  );
  documents[at] = kept.join(end);
  return documents.join(`---${end}`);
}

const withApplied = (
  files: Record<string, string>,
  live: Case['live'],
  use: (project: Project) => Promise<void>,
) => {
  const inFolder = Object.entries(files).map(([file, text]) => [`campaigns/${file}`, text]);
  const options = {
    shape: { reputation: 'shown' } as const,
    environment: '    allow: [no-leads]\n',
    files: Object.fromEntries(inFolder),
    campaigns: live?.map(({ id, name }) => draft(id, name)) ?? [],
  };
  return withProject(options, async (project) => {
    await project.exits(0, 'apply --yes');
    await use(project);
  });
};

it.each(CASES)('%s', (_name, { files, live, becomes, where = ' in place of its name:' }) =>
  withApplied(files, live, async ({ exits, plan, problems: planned, read, write }) => {
    for (const [file, text] of Object.entries(files))
      await write({ [`campaigns/${file}`]: text.replace(OLD, NEW) });
    const problems = (await planned()).filter(lined);
    const [problem] = problems;
    const place = PLACE.exec(problem?.where ?? '');
    if (place === null) throw new Error(problem?.where);
    expect(place[2]).toBe(where);
    expect(new Set(problems.map(({ lines }) => lines?.join())).size).toBe(1);
    const file = `campaigns/${place[1]}`;
    await write({ [file]: pasted(await read(file), place, problem?.lines ?? []) });
    const replacing = (await plan()).campaigns.filter(({ replaces }) => replaces !== undefined);
    const names = replacing.map(({ name, replaces }) => [name, replaces?.name]);
    expect(Object.fromEntries(names)).toEqual(becomes);
    expect(replacing.map(({ action }) => action)).toEqual(replacing.map(() => 'create'));
    await exits(0, 'apply --yes');
    expect((await plan()).summary).toMatchObject({ create: 0, change: 0, blocked: 0 });
  }),
);

it('one of a for_each needs a separate manifest, which begins with these lines', () => {
  const spring = `for_each: [Nord, Sud]\nname: Spring \${{ value }}\n${REST}environments:\n  production:\n    settings: { plain_text: true }\n`;
  const live = [{ id: 50, name: 'Spring Sud' }];
  return withApplied({ 'spring.yaml': spring }, live, async ({ edit, plan, service, write }) => {
    service.store.campaigns.push(draft(51, 'Spring Sud'));
    await edit('campaigns/spring.yaml', OLD, NEW);
    const [, sud] = (await plan()).campaigns;
    const { where, lines } = sud?.problems.find(lined) ?? {};
    expect(where).toMatch(/ for_each of campaigns\/spring\.yaml, .*:$/);
    expect(lines).toEqual(['name: Spring Sud v2', 'replaces: 50']);
    await edit('campaigns/spring.yaml', '[Nord, Sud]', '[Nord]');
    await write({ 'campaigns/sud.yaml': `${lines?.join('\n')}\n${REST.replace(OLD, NEW)}` });
    const { campaigns } = await plan();
    expect(campaigns.find(({ name }) => name === 'Spring Sud v2')).toMatchObject({
      action: 'create',
      replaces: { id: 50, name: 'Spring Sud' },
    });
  });
});
