import type { Json } from '../model/json.js';
import { environmentVariableIn } from './spellings.js';

const SECRET = /token|secret|password|passwd|api_?key|authori[sz]ation|bearer/i;

/** False if the value can only be the name of an environment variable. */
export function mayBeSecret(key: string, value: Json): boolean {
  const text = String(value);
  const isVariable = environmentVariableIn(text) !== null || /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_TOKEN$/.test(text);
  return SECRET.test(key) && !isVariable;
}
