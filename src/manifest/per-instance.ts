import type { Instance } from '../model/problem.js';
import type { SourceFinding } from './finding.js';
import { listed } from './suggest.js';

/** Labels that a message names. */
const MOST = 3;

/**
 * Findings without their instances: what is wrong in all campaigns of a document, or without regard to one, is said once as it is;
 * what is wrong in some only names them: `… (for France, Spain).`.
 */
export function perInstance(findings: readonly SourceFinding[]): SourceFinding[] {
  const groups = new Map<string, { finding: SourceFinding; instances: Instance[]; isPlain: boolean }>();
  for (const finding of findings) {
    const { plain, instance } = taken(finding);
    const key = JSON.stringify([plain.place, plain.code, plain.message]);
    const group = groups.get(key) ?? { finding: plain, instances: [], isPlain: false };
    if (instance === undefined) group.isPlain = true;
    else group.instances.push(instance);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ finding, instances, isPlain }) => {
    const labels = [...new Set(instances.map(({ label }) => label))];
    return isPlain || isEvery(instances) ? finding : { ...finding, message: named(finding.message, labels) };
  });
}

/** Whether all campaigns of one of the documents are among these. */
function isEvery(instances: readonly Instance[]): boolean {
  const found = new Map<string, Set<string>>();
  return instances.some(({ manifest, label, of }) => {
    const labels = found.get(manifest) ?? new Set<string>();
    found.set(manifest, labels.add(label));
    return labels.size === of;
  });
}

function named(message: string, labels: readonly string[]): string {
  return `${message.replace(/\.$/, '')} (for ${listed(labels, MOST)}).`;
}

function taken(finding: SourceFinding): { plain: SourceFinding; instance: Instance | undefined } {
  if (!('path' in finding.place)) return { plain: finding, instance: undefined };
  const { instance, ...place } = finding.place;
  return { plain: { ...finding, place }, instance };
}
