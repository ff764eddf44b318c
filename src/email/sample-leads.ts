/** Leads with invented values, on which emails are shown. */

/** True for a variable that services fill from the mailbox that sends. */
export function isOfSender(variable: string): boolean {
  return variable.startsWith('SENDER_');
}

/** `values`: by variable. `pick`: which spintax choices to use; the service chooses at random. */
export interface SampleLead {
  label: string;
  values: { readonly [variable: string]: string };
  pick: 'first' | 'longest';
}

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
  const values = (long: boolean, names = variables) =>
    Object.fromEntries(names.map((name) => [name, sampleValue(name, long)]));
  return [
    { label: 'An ordinary lead', values: values(false), pick: 'first' },
    { label: 'A lead with long values', values: values(true), pick: 'longest' },
    {
      label: 'A lead with missing values',
      values: values(false, variables.filter(isOfSender)),
      pick: 'first',
    },
  ];
}

function sampleValue(variable: string, long: boolean): string {
  const words = variable.replaceAll('_', ' ').toLowerCase();
  // A lead's value would look like the lead writes to itself.
  if (isOfSender(variable))
    return `[${words.replace(/^sender /, '').replace(/^email signature$/, 'signature')} of the sender]`;
  const known = USUAL.find(([name]) => name.test(variable));
  if (known !== undefined) return long ? known[2] : known[1];
  return long ? `${words}, written out at unusual length to show how it wraps` : words;
}
