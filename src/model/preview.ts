import type { ContentSequence } from './outputs.js';
import { type Campaign, type CampaignSpec, desiredSequence } from './spec.js';

/**
 * The emails of a campaign and what affects them. `place`: its manifest or, if it was read from the service, its id. `file`:
 * the manifest's file; `null` for the service.
 */
export interface PreviewedCampaign extends Pick<CampaignSpec, 'name' | 'settings' | 'schedule'> {
  place: string;
  file: string | null;
  sequence: ContentSequence | null;
}

export function previewedCampaign({
  manifest,
  file,
  spec,
}: Pick<Campaign, 'manifest' | 'file' | 'spec'>): PreviewedCampaign {
  const { sequence, ...rest } = spec;
  return {
    ...rest,
    place: manifest,
    file,
    sequence: sequence === undefined ? null : desiredSequence(sequence),
  };
}

/** The subjects and bodies of all emails. */
export function emailTexts({ sequence }: PreviewedCampaign): string[] {
  const emails = (sequence?.steps ?? []).flatMap(({ variants, ...email }) => [email, ...variants]);
  return emails.flatMap(({ email_subject, email_body }) => [email_subject, email_body]);
}
