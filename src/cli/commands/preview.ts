import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { leadsToShow } from '../../operations/leads.js';
import { type Preview, previewManifests } from '../../operations/preview.js';
import { stopOnErrors, tellWarnings } from '../../operations/validate.js';
import { leadWarnings, renderLeadsText } from '../../view/leads.js';
import { renderPreviewHtml } from '../../view/preview-html.js';
import { renderJson, visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

type PreviewFlags = Flags<'preview'>;

export async function run(flags: PreviewFlags, shell: Shell): Promise<ExitCode> {
  refuseWithoutLeads(flags);
  const preview = await previewManifests(flags, shell);
  stopOnErrors(preview.findings, 'Correct the manifests first.');
  print(preview, flags, shell);
  tellWarnings(preview.findings, preview.project, shell);
  return EXIT.ok;
}

function refuseWithoutLeads({ leads, row, format }: PreviewFlags): void {
  if (leads !== null) return;
  const needing = row === null ? `--format ${format}` : '--row';
  if (row !== null || format !== 'html')
    throw usage(`${needing} needs --leads.`, 'Add --leads FILE.csv, or remove the option.');
}

function print({ leads, ...preview }: Preview, { format, row }: PreviewFlags, shell: Shell): void {
  if (leads === null) {
    shell.out(renderPreviewHtml({ ...preview, leads }));
  } else if (format === 'html') {
    const shown = leadsToShow(leads, row);
    shell.out(renderPreviewHtml({ ...preview, leads: { report: leads.report, shown } }));
    for (const warning of leadWarnings(leads.report)) shell.err(`! ${visibleLine(warning)}\n`);
  } else {
    const { report } = leads;
    shell.out(format === 'json' ? renderJson(report) : renderLeadsText(report, shell.onOut));
  }
}
