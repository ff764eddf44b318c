/** Instructions for coding assistants, written by `init --agent`. */

const RULES = `## Change a campaign

1. Edit the manifests. The schemas in \`.campaignctl/schemas\` describe every key. Fields that are left out are not managed.
2. Run \`campaignctl validate --json\` and correct every error in the manifest. \`campaignctl explain CODE\` explains a code.
3. Run \`campaignctl plan --json --env NAME\`, which sends nothing. Compare it with what you were asked for:
   - \`summary\`: how many campaigns are created, changed, launched, paused;
   - \`campaigns[].changes\`: every difference. A difference that nobody asked for is a mistake in the manifest;
   - \`problems\` of the plan and of each campaign: \`hazard\` needs a person's approval, \`blocked\` is not possible.
   Without a token, plan in the sandbox: \`campaignctl plan --env sandbox\`.
4. Run \`campaignctl preview --format text\` to see when each email goes out.
5. Open a pull request with the manifests only. Put the launches, the hazards and the tasks by hand of the plan into its description.
   A person reviews it, and the pipeline applies it.

Exit codes: 0 done, 1 error, 2 changes are pending, 3 refused, 4 incomplete, 130 interrupted.

## Never

- Never run \`campaignctl apply\` for an environment with a \`base_url\`: it sends email to real people. \`apply --env sandbox\` is allowed.
- Never run \`pause\`, \`probe\`, \`forget\`, \`unlock\` or \`state\` for such an environment. If something must stop now, tell a person to run
  \`campaignctl pause\`.
- Never add an approval: no \`--allow\`, no \`allow:\` in \`campaignctl.yaml\`, no \`--yes\`.
- Never weaken a check to get past it: no \`waive:\`, no \`lint: … off\`, no change to \`policies:\`, \`capacity:\` or \`base_url:\`.
- Never write \`status: running\` unless you were asked to launch that campaign.
- Never edit, commit or delete anything in \`.campaignctl\`, and never read or print a token.
- An exit code of 4 or a message that a request is in doubt: stop, change nothing, and show the message to a person.
`;

export const ASSISTANT_FILES = {
  'AGENTS.md': `# Working with this project

The email campaigns in this repository are managed with campaignctl: \`plan\` shows what would change in the service, \`apply\` sends exactly
that. A mistake mails real people, and a sent email cannot be taken back.

${RULES}`,
  'skills/campaignctl/SKILL.md': `---
name: campaignctl
description: Change, check and plan email campaigns that are kept as YAML manifests. Use for any change of a campaign, its emails, schedule, leads, limits or status. Ends with a pull request, never with sending.
---

# campaignctl

${RULES}`,
};
