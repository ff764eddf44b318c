import type { ContentSequence, SendingHours } from './outputs.js';
import type { SkippedCampaign } from './reports.js';
import type { StoredSettings } from './sections.js';
import { type Campaign, desiredSequence } from './spec.js';

/**
 * The emails of a campaign and what affects them. `place`: its manifest or, if it was read from the service, its id. `source`:
 * `null` for the service. `project`: absent if all campaigns are of the same one. `variables`: those of the environment.
 */
export interface PreviewedCampaign {
  name: string;
  settings?: Pick<Partial<StoredSettings>, 'plain_text' | 'can_unsubscribe' | 'unsubscribe_text'>;
  schedule?: SendingHours | { template: number | string };
  place: string;
  source: CampaignSource | null;
  sequence: ContentSequence | null;
  project?: string;
  variables?: readonly string[];
}

/** The YAML document of a campaign. `label`: its entry of `for_each`, in brackets; '' without one. */
export interface CampaignSource {
  file: string;
  document: number;
  label: string;
}

export function previewedCampaign({
  manifest,
  file,
  document,
  spec,
}: Pick<Campaign, 'manifest' | 'file' | 'document' | 'spec'>): PreviewedCampaign {
  const { name, settings, schedule, sequence } = spec;
  return {
    name,
    ...(settings && { settings }),
    ...(schedule && { schedule }),
    place: manifest,
    source: { file, document, label: manifest.slice(file.length).replace(/^#\d+/, '') },
    sequence: sequence === undefined ? null : desiredSequence(sequence),
  };
}

/** The subjects and bodies of all emails. */
export function emailTexts({ sequence }: PreviewedCampaign): string[] {
  const emails = (sequence?.steps ?? []).flatMap(({ variants, ...email }) => [email, ...variants]);
  return emails.flatMap(({ email_subject, email_body }) => [email_subject, email_body]);
}

/** The service that emails were read from. `unread`: campaigns of which something cannot be read, and why. */
export interface LiveSource {
  service: string;
  unread: SkippedCampaign[];
}
