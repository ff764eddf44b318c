import type { Change } from '../../model/change.js';
import { isObject, type Json } from '../../model/json.js';
import type { Problem } from '../../model/problem.js';
import { DEFAULT_SETTINGS, SETTING_NAMES, type SettingName, type Settings } from '../../model/settings.js';
import type { RecordedState } from '../../model/state-entry.js';
import type { Difference, SectionContext } from '../section.js';
import type { SomeSettings } from './state.js';

/** Compares what is written with what is shown, or, where it is not shown, with what was last applied. */
export function diff(live: SomeSettings, desired: SomeSettings, context: SectionContext): Difference {
  const { recorded } = context;
  const changes: Change[] = [];
  const problems: Problem[] = [];
  for (const name of SETTING_NAMES) {
    const to = desired[name];
    if (to === undefined) continue;
    const shown = live[name];
    const from = shown !== undefined ? shown : lastApplied(recorded, name);
    if (shown === undefined) problems.push(notShown(name, from));
    if (from === to) continue;
    changes.push({ ...change(name, from ?? null, to), note: shown === undefined ? unseen(from) : null });
  }
  const reset = changes.length > 0 ? unreadableAndUnwritten(live, desired, recorded) : [];
  return { changes, problems: reset.length > 0 ? [...problems, resetHazard(reset, recorded)] : problems };
}

/**
 * What an update sends: always all of them, since a boolean that is not sent becomes false. Where a setting is neither
 * written nor shown, what was last applied, else the documented default.
 */
export function wholeSettings(live: SomeSettings, desired: SomeSettings, recorded: RecordedState): Settings {
  const applied = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const value = lastApplied(recorded, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { ...DEFAULT_SETTINGS, ...applied, ...live, ...desired };
}

/** Undefined where it is not known: never applied, or an update of unknown outcome would have changed it. */
function lastApplied({ at_defaults, applied }: RecordedState, name: SettingName): Json | undefined {
  const { settings, settings_in_doubt: doubt } = applied;
  const before = at_defaults ? DEFAULT_SETTINGS[name] : isObject(settings) ? settings[name] : undefined;
  return isObject(doubt) && doubt[name] !== before ? undefined : before;
}

function unreadableAndUnwritten(
  live: SomeSettings,
  desired: SomeSettings,
  recorded: RecordedState,
): SettingName[] {
  if (recorded.at_defaults) return [];
  return SETTING_NAMES.filter((name) => live[name] === undefined && desired[name] === undefined);
}

function change(name: SettingName, from: Json, to: Json): Change {
  return { section: 'settings', path: name, kind: 'update', from, to, note: null };
}

function unseen(from: Json | undefined): string {
  return from === undefined
    ? 'the service does not show it, and what was last applied is not known'
    : 'the service does not show it; compared with what was last applied';
}

function notShown(name: SettingName, applied: Json | undefined): Problem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message: `settings.${name} is not shown by the service: ${applied === undefined ? 'what was last applied is not known, so it is sent' : 'it was compared with what was last applied'}.`,
    hint: 'A change made elsewhere would not be noticed.',
  };
}

function resetHazard(names: SettingName[], recorded: RecordedState): Problem {
  const values = wholeSettings({}, {}, recorded);
  const listed = names.map((name) => `${name} (would become ${JSON.stringify(values[name])})`).join(', ');
  return {
    code: 'reset-unreadable',
    severity: 'hazard',
    message: `An update always sets all settings, and the service does not show ${listed}.`,
    hint: `Write ${names.join(' and ')} under settings in the manifest, or accept it with --allow reset-unreadable.`,
  };
}
