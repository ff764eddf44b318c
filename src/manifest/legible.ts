import { isObject, type Json, type JsonObject, type Path } from '../model/json.js';
import type { CampaignSpec, ResolvedStep } from '../model/spec.js';
import type { Violation } from './violation.js';

/** A key or value with an error. */
export type Flawed = Pick<Violation, 'code' | 'path'> & Partial<Pick<Violation, 'provides' | 'home'>>;

/** `copy`: the parts of a campaign that hold its texts. `moved`: where a text is written that has a misspelt key. */
export interface Legible {
  copy: Pick<CampaignSpec, 'settings' | 'sequence'>;
  moved: ReadonlyMap<string, Path>;
}

/**
 * The texts of sections with errors, for the rules about texts: those that have no error themselves, also under a misspelt key.
 * Other texts are empty.
 */
export function legibleTexts(
  { settings, sequence }: { settings?: Json | undefined; sequence?: Json | undefined },
  { flaws, written }: { flaws: readonly Flawed[]; written: (path: Path) => Path },
): Legible {
  const moved = new Map<string, Path>();
  const byPlace = new Map(flaws.map((flaw) => [flaw.path.join('/'), flaw]));
  const flawAt = (path: Path) => byPlace.get(written(path).join('/'));
  /** The value of the key, or of another key that was meant for it. */
  const valueFor = (section: JsonObject, path: Path, name: string): Json | undefined => {
    const meant = ({ code, provides, home }: Flawed) =>
      code === 'unknown-key' && home === undefined && provides?.length === 1 && provides[0] === name;
    const key = Object.keys(section).find((other) => {
      const flaw = flawAt([...path, other]);
      return other === name ? flaw === undefined : flaw !== undefined && meant(flaw);
    });
    if (key === undefined) return undefined;
    if (key !== name) moved.set([...path, name].join('/'), [...path, key]);
    return section[key];
  };
  const textOf = (section: JsonObject, path: Path, name: string): string => {
    const value = valueFor(section, path, name);
    return typeof value === 'string' ? value : '';
  };
  const email = (value: Json, path: Path) => {
    const section = isObject(value) ? value : {};
    const [email_subject, email_body] = [
      textOf(section, path, 'email_subject'),
      textOf(section, path, 'email_body'),
    ];
    return { email_subject, email_body };
  };
  const step = (value: Json, path: Path): ResolvedStep => {
    const variants = isObject(value) ? valueFor(value, path, 'variants') : undefined;
    return {
      ...email(value, path),
      wait_in_days: 1,
      ...(isObject(value) && value.thread_reply === true && { thread_reply: true }),
      variants: (Array.isArray(variants) ? variants : []).map((variant, at) =>
        email(variant, [...path, 'variants', at]),
      ),
    };
  };
  const steps = isObject(sequence) ? sequence.steps : undefined;
  const texts = isObject(settings) ? settings : {};
  const plain = valueFor(texts, ['settings'], 'plain_text');
  return {
    copy: {
      settings: {
        ...(typeof plain === 'boolean' && { plain_text: plain }),
        unsubscribe_text: textOf(texts, ['settings'], 'unsubscribe_text'),
      },
      sequence: {
        title: isObject(sequence) ? textOf(sequence, ['sequence'], 'title') : '',
        steps: (Array.isArray(steps) ? steps : []).map((each, at) => step(each, ['sequence', 'steps', at])),
      },
    },
    moved,
  };
}
