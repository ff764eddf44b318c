import { command, type Ended, writeFiles } from './command.js';
import { withFolder } from './folder.js';

export const PROJECT =
  'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  sandbox: { sandbox: {} }\n';
export const LONG = '<p>Is {COMPANY} ready?</p>\n'.repeat(30);
export const FILES = {
  'campaignctl.yaml': PROJECT,
  'campaigns/autumn.yaml': 'name: Autumn\nsequence: { use: ../shared/autumn.yaml }\n',
  'shared/autumn.yaml':
    'title: Autumn\nsteps:\n  - { email_subject: Autumn is near, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }\n',
  'campaigns/spring.yaml': `name: Spring installers
settings: { plain_text: false }
sequence:
  title: Spring
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body_file: ../emails/first.html
      wait_in_days: 3
    - email_subject: Re spring
      email_body: <p>One more thing</p>
      wait_in_days: 4
`,
  'emails/first.html': LONG,
  'campaigns/winter.yaml': 'name: Winter\n',
};

/** Serves the preview in this process until `use` ends. */
export async function serving(
  line: string,
  use: (url: string, folder: string) => Promise<void>,
  { files = FILES, env = {} }: { files?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<Ended> {
  let ended: Ended = { code: -1, out: '', err: '' };
  await withFolder(async (folder) => {
    await writeFiles(folder, files);
    let stop = () => {};
    let ready = (_url: string) => {};
    const address = new Promise<string>((resolve) => {
      ready = resolve;
    });
    const words = ['preview', '--serve', ...line.split(' ').filter(Boolean)];
    const running = command(folder, words, env, undefined, {
      onInterrupt: (end) => {
        stop = end;
      },
      seen: (text) => {
        if (text.startsWith('http')) ready(text.trim());
      },
    });
    try {
      const url = await Promise.race([address, running.then(({ err }) => Promise.reject(new Error(err)))]);
      await use(url, folder);
    } finally {
      stop();
      ended = await running;
    }
  });
  return ended;
}
