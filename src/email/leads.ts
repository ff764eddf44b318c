import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { CampaignSpec } from '../model/spec.js';
import { type SampleLead, variableNames } from './mail.js';

const USUAL: readonly [name: RegExp, ordinary: string, longest: string][] = [
  [/^(?:FIRST|GIVEN).?NAME$/, 'Anna', 'Maximiliane-Theodora'],
  [/^(?:LAST|FAMILY|SUR).?NAME$/, 'Berg', 'Featherstonehaugh-Cholmondeley'],
  [/^(?:FULL.?)?NAME$/, 'Anna Berg', 'Maximiliane-Theodora Featherstonehaugh-Cholmondeley'],
  [/MAIL/, 'anna.berg@example.com', 'maximiliane-theodora.featherstonehaugh@subsidiary.example.com'],
  [
    /WEB|URL|SITE|DOMAIN|LINK/,
    'www.example.com',
    'www.northern-counties-installation-and-maintenance.example.com',
  ],
  [
    /COMPANY|ORGANI[SZ]ATION|BUSINESS/,
    'Northlight Studio',
    'Northern Counties Installation & Maintenance Partnership Limited',
  ],
  [/CITY|TOWN/, 'Bristol', 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'],
  [/COUNTRY/, 'France', 'United Kingdom of Great Britain and Northern Ireland'],
  [/TITLE|POSITION|ROLE/, 'Office manager', 'Deputy Regional Director of Facilities and Maintenance'],
  [/PHONE|MOBILE/, '020 7946 0000', '+44 (0)20 7946 0000 ext. 12345'],
];

export function sampleLeads(variables: readonly string[]): SampleLead[] {
  const values = (long: boolean) => Object.fromEntries(variables.map((name) => [name, usual(name, long)]));
  return [
    { label: 'An ordinary lead', values: values(false), pick: 'first' },
    { label: 'Long values', values: values(true), pick: 'longest' },
    { label: 'Missing values', values: {}, pick: 'first' },
  ];
}

function usual(variable: string, long: boolean): string {
  const known = USUAL.find(([name]) => name.test(variable));
  if (known !== undefined) return long ? known[2] : known[1];
  const words = variable.replaceAll('_', ' ').toLowerCase();
  return long ? `${words} that is about as long as such a value ever gets` : words;
}

/** Decodes leads from JSON. `first_name`, `First Name` and `FIRST_NAME` are one variable. */
export function decodeLeads(
  value: Json,
  variables: readonly string[],
): { leads: SampleLead[] } | { wrong: string } {
  const people = Array.isArray(value) ? value : [value];
  const leads: SampleLead[] = [];
  for (const [index, person] of people.entries()) {
    const place = people.length === 1 ? 'The lead' : `Lead ${index + 1}`;
    if (!isObject(person)) return { wrong: `${place} is not an object of variables and their values.` };
    const nested = Object.entries(person).find(([, value]) => typeof value === 'object' && value !== null);
    if (nested !== undefined)
      return { wrong: `${place}: the value of ${nested[0]} is not a string, a number or null.` };
    leads.push(readLead(person, variables, index + 1));
  }
  return leads.length === 0 ? { wrong: 'It contains no lead.' } : { leads };
}

function readLead(person: JsonObject, variables: readonly string[], number: number): SampleLead {
  const values = Object.fromEntries(
    Object.entries(person)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => [matchVariable(name, variables), String(value)]),
  );
  const { FIRST_NAME, LAST_NAME, NAME, EMAIL } = values;
  const name = [FIRST_NAME, LAST_NAME].filter((part) => part !== undefined).join(' ');
  return { label: name || NAME || EMAIL || `Lead ${number}`, values, pick: 'first' };
}

function matchVariable(name: string, variables: readonly string[]): string {
  const plain = (text: string) => text.toUpperCase().replace(/[\s_-]+/g, '_');
  return variables.find((variable) => plain(variable) === plain(name)) ?? plain(name);
}

export function usedVariables(specs: readonly CampaignSpec[]): string[] {
  const steps = specs.flatMap(({ sequence }) => sequence?.steps ?? []);
  const emails = steps.flatMap((step) => [step, ...(step.variants ?? [])]);
  return variableNames(...emails.flatMap(({ email_subject, email_body }) => [email_subject, email_body]));
}
