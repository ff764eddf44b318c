/** Commands and options of other tools, without hyphens, each with a hint. */
const HINTS: readonly (readonly [words: string, hint: string])[] = [
  [
    'stop kill halt emergency',
    'campaignctl pause NAME stops a campaign immediately, and campaignctl pause --all stops the managed ones; add --unmanaged for every campaign.',
  ],
  [
    'resume start launch run',
    'Write status: running in the manifest. campaignctl plan then shows the launch, and campaignctl apply --allow launch sends it.',
  ],
  [
    'rename mv',
    'The API cannot rename a campaign. Rename it in the web app, then run campaignctl import --update NAME: it writes the new name into the manifest.',
  ],
  [
    'destroy delete remove prune',
    'campaignctl deletes no campaigns. campaignctl pause NAME stops one; delete it in the web app; campaignctl forget NAME removes it from the state.',
  ],
  ['diff status', 'campaignctl plan shows how live campaigns differ from the manifests.'],
  ['sync deploy up push', 'campaignctl apply plans, asks and sends.'],
  ['export pull', 'campaignctl import --all writes manifests from live campaigns.'],
  ['refresh refresh-only', 'campaignctl plan --drift shows what changed outside campaignctl.'],
  ['force-unlock', 'campaignctl unlock shows who holds the lock, and removes the lock.'],
  ['bash zsh fish', 'campaignctl completion prints a script for the shell in $SHELL.'],
  ['auto-approve', 'Pass --yes to send without being asked. Hazards still need --allow HAZARD.'],
  [
    'force',
    'No option accepts everything: the plan names what needs approval, and --allow HAZARD accepts one hazard.',
  ],
  [
    'out',
    'campaignctl plan --out FILE saves a plan, and campaignctl apply --plan FILE applies it. Other commands print: write > FILE after them.',
  ],
  ['dir', 'import writes into the folder of the first pattern under manifests in the project file.'],
  ['dry-run check', 'plan sends nothing. campaignctl apply --dry-run prints every request and sends none.'],
];

export function hintFor(word: string): string | null {
  return HINTS.find(([words]) => words.split(' ').includes(word))?.[1] ?? null;
}
