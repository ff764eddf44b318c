import { EXIT, type ExitCode } from '../../model/failure.js';
import { previewedCampaign } from '../../model/preview.js';
import { openPlace } from '../../operations/place.js';
import { stopOnErrors, tellWarnings } from '../../operations/validate.js';
import { loadCampaigns, selectCampaigns } from '../../project/campaigns.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

export async function run(flags: Flags<'preview'>, shell: Shell): Promise<ExitCode> {
  const { manifests, environment } = await openPlace(flags, shell);
  const options = { environments: [environment], files: flags.files, cwd: shell.cwd, env: shell.env };
  const { campaigns, findings } = selectCampaigns(await loadCampaigns(manifests, options));
  stopOnErrors(findings, 'Correct the manifests first.');
  const { name } = environment;
  shell.out(
    renderPreviewHtml({ environment: name, campaigns: (campaigns[name] ?? []).map(previewedCampaign) }),
  );
  tellWarnings(findings, manifests.project, shell);
  return EXIT.ok;
}
