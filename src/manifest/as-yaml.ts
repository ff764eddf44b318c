import { isObject, type Json } from '../model/json.js';

/** A value on one line, as it would be typed: `[monday, friday]`, `"09:00"`, `{ cap: 200 }`. */
export function asYaml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(asYaml).join(', ')}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${asYaml(key)}: ${asYaml(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  const isPlain =
    typeof value !== 'string' ||
    /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z][\w/.*-]*(?: [\w/.-]+)*$/i.test(value);
  return isPlain ? String(value) : JSON.stringify(value);
}

/** `key: value`. Long values are left out. */
export function lineFor(key: string, value: Json): string {
  const line = asYaml(value);
  return value === null || line.length > 50 || line.includes('\\n') ? `${key}: …` : `${key}: ${line}`;
}
