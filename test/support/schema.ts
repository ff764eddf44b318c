import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

export function faultsOf(name: string, json: string): unknown[] {
  const schema = readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
  const validate = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(JSON.parse(schema));
  validate(JSON.parse(json));
  return validate.errors ?? [];
}
