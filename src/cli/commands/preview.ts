import { resolve } from 'node:path';
import { writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, errorMessage, usage } from '../../model/failure.js';
import { openPlace } from '../../operations/place.js';
import { stopOnErrors, tellWarnings } from '../../operations/validate.js';
import { loadCampaigns, selectCampaigns } from '../../project/campaigns.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import { printable } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

type PreviewFlags = Flags<'preview'>;

export async function run(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  const { files, out } = flags;
  const { cwd } = shell;
  const { project, environment } = await openPlace(flags, shell);
  const loaded = selectCampaigns(await loadCampaigns(project, { environments: [environment], files, cwd }));
  stopOnErrors(loaded.findings, 'Correct them first.');
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const view = renderPreviewHtml({ environment: environment.name, campaigns });
  tellWarnings(loaded.findings, shell);
  if (out === null) shell.out(view);
  else {
    await writePage(out, printable(view), shell);
    shell.err(`Wrote ${out}: open it in a browser.\n`);
  }
  return EXIT.ok;
}

async function writePage(file: string, html: string, { cwd }: Shell): Promise<void> {
  await writeAtomic(resolve(cwd, file), html).catch((error: unknown) => {
    throw usage(
      `The page cannot be written to ${file}: ${errorMessage(error)}.`,
      'Check the path after --out.',
    );
  });
}
