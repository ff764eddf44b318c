import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

const compiled = new Map<string, ValidateFunction>();

export function faultsOf(name: string, json: string): unknown[] {
  const validate = compiled.get(name) ?? compile(name);
  compiled.set(name, validate);
  validate(JSON.parse(json));
  return validate.errors ?? [];
}

function compile(name: string): ValidateFunction {
  const schema = readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
  return new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(JSON.parse(schema));
}
