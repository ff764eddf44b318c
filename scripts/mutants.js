// Switches off each safeguard in turn, in a copy, and shows that a test fails. Prints a line for each; ends with 1 if one
// of them is missed by no test. It takes some minutes: the check asks only whether each still applies (`--applies`).
// `node scripts/mutants.js WORD…` tries those whose name, file or tests hold one of the words.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is switched off: file, text, what stands there instead, and the tests that have to miss it. */
const MUTANTS = [
  [
    'the settings with which the service made a campaign',
    'apply/campaign.ts',
    "if (step.id === 'settings' && addressed.path !== step.path) {",
    'if (false) {',
    ['system/end-to-end/made-settings'],
  ],
  [
    'a documented default that is written for a new campaign',
    'sections/settings.ts',
    'return [from === to ? added(name, to) : updated(name, from, to)];',
    'return from === to ? [] : [updated(name, from, to)];',
    ['sections/settings'],
  ],
  [
    'the read-back',
    'apply/campaign.ts',
    'const { changes, seen } = await remaining(context, sections, tools);',
    'const { seen } = await remaining(context, sections, tools); const changes: Change[] = [];',
    ['system/scenarios'],
  ],
  [
    'reconciling a lost answer',
    'apply/perform.ts',
    'if (!needsReading(step, sent)) return sent;',
    'return sent;',
    ['apply/doubt'],
  ],
  [
    'looking before sending again',
    'apply/perform.ts',
    'if (showsEffect(step, before, seen)) return true;',
    '',
    ['apply/doubt'],
  ],
  [
    'the intent before the write',
    'apply/perform.ts',
    'await journal.intend({',
    'void ({',
    ['system/trust/crash'],
  ],
  [
    'reconciling what a run left',
    'plan/build.ts',
    'return same.length > 0 ? same : own;',
    'return [];',
    ['system/trust/crash'],
  ],
  [
    'the doubt about an attachment',
    'plan/reconcile.ts',
    "if (step.section === 'leads') return 'in_doubt';",
    "if (step.section === 'leads') return 'failed';",
    ['system/trust/crash'],
  ],
  [
    'the lock',
    'state/lock.ts',
    "if (now?.holder.id === holder.id) return 'mine';",
    "return 'mine';",
    ['state/lock'],
  ],
  [
    'a clock that only grows, for the pace and the pauses of requests',
    'service/pacing.ts',
    'const now = clock.elapsed();\n      if (now >= pausedUntil)',
    'const now = clock.now();\n      if (now >= pausedUntil)',
    ['service/pacing'],
  ],
  [
    'a clock that only grows, for deadlines of requests',
    'service/channel.ts',
    'const startedAt = clock.elapsed();',
    'const startedAt = clock.now();',
    ['service/retries'],
  ],
  [
    'a clock that only grows, for the wait after a launch',
    'apply/perform.ts',
    'const late = tools.elapsed() - began + wait > LAUNCH_TIMEOUT;',
    'const late = tools.now() - began + wait > LAUNCH_TIMEOUT;',
    ['system/end-to-end/clock'],
  ],
  [
    'a clock that only grows, for the reading of a list',
    'service/paging.ts',
    'channel.clock.elapsed() - began > MOST_TIME',
    'channel.clock.now() - began > MOST_TIME',
    ['system/end-to-end/clock'],
  ],
  [
    'a clock that only grows, for the wait for a lock',
    'state/lock.ts',
    'const deadline = performance.now() + timeout;',
    'const deadline = Date.now() + timeout;',
    ['state/lock'],
  ],
  [
    'a date of Retry-After by the clock of the service',
    'service/pacing.ts',
    'Date.parse(text) - (sent || now)',
    'Date.parse(text) - now',
    ['service/pacing'],
  ],
  [
    'the origins that may get a token',
    'operations/connect.ts',
    'if (origins.includes(origin)) return;',
    'return;',
    ['system/security/secrets'],
  ],
  [
    'origins that are set and empty',
    'operations/connect.ts',
    'if (allowed === undefined) return;',
    'if (!allowed) return;',
    ['system/security/secrets'],
  ],
  [
    'variables of others',
    'project/check.ts',
    'if (FOREIGN.test(text))',
    'if (text === "")',
    ['system/security/secrets'],
  ],
  [
    'dot-files that are named',
    'project/files.ts',
    'if (isHidden(file) || isHidden(projectPath(root, real)))',
    'if (isHidden(file))',
    ['project/campaigns'],
  ],
  [
    'a state outside the project or in .git',
    'project/check.ts',
    'if (isInside && !isGit) return [];',
    'return [];',
    ['system/security/secrets'],
  ],
  [
    'a link that leads the state elsewhere',
    'operations/session.ts',
    "if (isBelow(root, real) && !parts.includes('.git')) continue;",
    'continue;',
    ['system/security/secrets'],
  ],
  ['monitors of a repository', 'operations/git.ts', "'core.fsmonitor=false', ", '', ['system/security/git']],
  [
    'filters of a repository',
    'operations/git.ts',
    "'--no-renames'],\n        own,",
    "'--no-renames'],",
    ['system/security/git'],
  ],
  [
    'repositories inside of repositories',
    'operations/git.ts',
    ", 'safe.bareRepository=explicit'",
    '',
    ['system/security/git'],
  ],
  [
    'submodules of a repository',
    'operations/git.ts',
    "'--ignore-submodules=all', ",
    '',
    ['system/security/git'],
  ],
  [
    'where a partial clone fetches from',
    'operations/git.ts',
    "GIT_ALLOW_PROTOCOL: '',",
    '',
    ['system/security/git'],
  ],
  [
    'tokens out of the sight of git',
    'operations/git.ts',
    '...Object.fromEntries(NEEDED.map((name) => [name, process.env[name]])),',
    '...process.env,',
    ['system/security/git'],
  ],
  [
    'a token for the step that needs it, in the README',
    '../README.md',
    'CAMPAIGNCTL_ENV: production\n      CAMPAIGNCTL_ORIGINS',
    'CAMPAIGNS_TOKEN: "${{ secrets.CAMPAIGNS_TOKEN }}"\n      CAMPAIGNCTL_ORIGINS',
    ['system/ci/secrets'],
  ],
  [
    'credentials that are not left on the disk of a job',
    '../examples/ci/github/merge.yml',
    'persist-credentials: false',
    'persist-credentials: true',
    ['system/ci/secrets'],
  ],
  [
    'a token for the command that needs it, on GitLab',
    '../examples/ci/gitlab/.gitlab-ci.yml',
    'env -u "$OTHER_TOKEN" -u GITLAB_TOKEN',
    'env',
    ['system/ci/secrets'],
  ],
  [
    'an installation without scripts of packages',
    '../action.yml',
    'npm ci --ignore-scripts',
    'npm ci',
    ['system/ci/secrets'],
  ],
  [
    'the PID namespace of a lock',
    'state/lock.ts',
    "const namespace = linkOrNull('/proc/self/ns/pid');",
    "const namespace = '';",
    ['state/lock'],
  ],
  [
    'a /proc that shows other processes',
    'state/lock.ts',
    "linkOrNull('/proc/self') === String(process.pid) ? fieldsOf(pid) : null",
    'fieldsOf(pid)',
    ['state/lock'],
  ],
  [
    'a holder of which nothing is known',
    'state/lock.ts',
    'space === null || space !== ownSpace()) return null;',
    'space !== null && space !== ownSpace()) return false;',
    ['state/lock'],
  ],
  [
    'a take-over that may still be going on',
    'state/lock.ts',
    "if (!hasCode(error, 'EEXIST')) throw stateUnusable(guard, error);\n    return false;",
    '',
    ['state/lock'],
  ],
  [
    'a lock on a disk without hard links',
    'files/atomic.ts',
    'return fs.copyFile(temporary, target, constants.COPYFILE_EXCL);',
    'throw error;',
    ['state/lock'],
  ],
  ['taking over a dead lock', 'state/lock.ts', 'if (held.alive === false) {', 'if (false) {', ['state/lock']],
  [
    'whole settings',
    'sections/settings.ts',
    'body: { ...wholeSettings(live ?? DEFAULT_SETTINGS, desired, recorded) },',
    'body: { ...desired },',
    ['system/scenarios'],
  ],
  [
    'complete lists',
    'service/paging.ts',
    'if (rows.size < total) return doubtful(counts());',
    '',
    ['service/lists'],
  ],
  [
    'a row that is on two pages',
    'service/paging.ts',
    'if (pages.length === 0 || added === keys.size || isRepeated) return null;',
    'return null;',
    ['service/lists'],
  ],
  [
    'a total that changes while the list is read',
    'service/paging.ts',
    'if (!isOfPages && known !== null && info.total !== null && info.total !== known)',
    'if (false)',
    ['service/lists'],
  ],
  [
    'the second reading of a list without a total',
    'service/paging.ts',
    'if (doubt === null && (isProven || before !== null))',
    'if (doubt === null)',
    ['service/moving-lists'],
  ],
  [
    'two readings that have to agree',
    'service/paging.ts',
    'before && !isSame(before, walked, list)',
    'false',
    ['service/moving-lists'],
  ],
  [
    'pages that no answer announces',
    'service/paging.ts',
    'if (!place.sought || page.rows.length === 0) return null;',
    'return null;',
    ['service/lists'],
  ],
  [
    'the launch gate of the plan',
    'plan/order.ts',
    'if (!launches || (!blocked && !hold)) return { steps, problems };',
    'return { steps, problems };',
    ['system/scenarios'],
  ],
  [
    'the launch gate of apply',
    'apply/campaign.ts',
    'if (progress.failed || tools.stopping()) {\n    return { ...progress, outcomes',
    'if (false) {\n    return { ...progress, outcomes',
    ['system/scenarios'],
  ],
  [
    'the look at the list before launches',
    'apply/gate.ts',
    'if (twins !== null) return twins;',
    '',
    ['system/end-to-end/launches'],
  ],
  [
    'a list for launches that is read after everything was created',
    'apply/apply.ts',
    'if (isLaunchDue(one, progress)) due.push([one, progress]);',
    'if (false) due.push([one, progress]);',
    ['system/end-to-end/launches'],
  ],
  [
    'one list for the launches of the same seconds',
    'apply/gate.ts',
    'if (last !== null && last.began >= since && began < last.until) return last.rows;',
    '',
    ['system/end-to-end/launches'],
  ],
  [
    'the look at the status before a launch',
    'apply/gate.ts',
    'if (now.word !== null && isSameStatus(now.word, before)) return null;',
    'return null;',
    ['system/end-to-end/launches'],
  ],
  [
    'the status in which a campaign was made',
    'apply/campaign.ts',
    'known: isMade ? { ...known, ...(await asMade(known, tools)) } : known,',
    'known,',
    ['system/end-to-end/launches'],
  ],
  [
    'the look before a launch is sent once more',
    'apply/perform.ts',
    'if (against !== null)',
    'if (false)',
    ['system/end-to-end/launches'],
  ],
  [
    'a lost launch that may have been paused',
    'apply/perform.ts',
    'if (!sent.again || !mayBePaused(live))',
    'if (live)',
    ['system/end-to-end/launches'],
  ],
  [
    'a launch that is blocked where the name is there twice',
    'plan/order.ts',
    'const problems = launches && !hold ? told.map(blockedByName) : told;',
    'const problems = told;',
    ['system/end-to-end/launches'],
  ],
  [
    'a relaunch that is told as one',
    'sections/status.ts',
    "if (last?.spec.status !== 'running' || failed) return LAUNCH;",
    'return LAUNCH;',
    ['sections/status'],
  ],
  [
    'fewer leads than were attached, before a launch',
    'plan/lead-hazards.ts',
    '...fewerLeads(context, steps),',
    '',
    ['plan/lead-hazards'],
  ],
  [
    'fewer leads than were attached, in the result',
    'apply/campaign.ts',
    'const few = id === null',
    'const few = false && id === null',
    ['system/end-to-end/launches'],
  ],
  [
    'binary answers that are not quoted',
    'service/channel.ts',
    '(binaryBody(headers, bytes) ?? text)',
    'text',
    ['service/faults'],
  ],
  [
    'conflict markers in a state file',
    'state/store.ts',
    'if (/^<{7}[ \\r\\n]/m.test(text))',
    'if (false)',
    ['state/store'],
  ],
  [
    'two environments of one workspace',
    'project/campaigns.ts',
    'findings.push(...sharedWorkspaces(project, environments, campaigns));',
    '',
    ['view/validate-formats'],
  ],
  [
    'waiting for the launch',
    'apply/perform.ts',
    "if (step.id === 'launch') return await awaitLaunch(sent, context, tools);",
    '',
    ['system/scenarios'],
  ],
  [
    'hazards',
    'plan/hazards.ts',
    "severity === 'hazard' && accepted_by === null",
    'false',
    ['system/scenarios'],
  ],
  [
    'a hazard that is accepted is shown so',
    'view/plan-notices.ts',
    "const kind = accepted_by === null ? severity : 'accepted';",
    'const kind: NoticeKind | "error" = severity;',
    ['view/golden.test.ts'],
  ],
  [
    'notes of changes on the page of a plan',
    'view/plan-html.ts',
    '${body}${changeNotes(changes)}',
    '${body}',
    ['view/one-view'],
  ],
  [
    'a total that is the number of rows of a page',
    'service/page-info.ts',
    'return { kind: total === collected && !isOfPage ?',
    'return { kind: total === collected ?',
    ['service/lists'],
  ],
  [
    'findings of the linter in the plan',
    'plan/build.ts',
    "action === 'none' ? gated.problems : [...gated.problems, ...lint]",
    'gated.problems',
    ['system/end-to-end/findings-in-plans.test.ts'],
  ],
  [
    'settings that a service refuses together, with live values and defaults',
    'sections/settings.ts',
    'if (changes.length > 0) problems.push(...crossed(live, desired, recorded));',
    '',
    ['system/end-to-end/findings-in-plans.test.ts'],
  ],
  [
    'settings that a service refuses together, with defaults, at validate',
    'rules/settings.ts',
    '...DEFAULT_SETTINGS,',
    '',
    ['rules/campaign-rules.test.ts'],
  ],
  [
    'a program meets the gate',
    'operations/apply.ts',
    'for (const problems of await gate(first, request)) refuse(problems);',
    '',
    ['operations'],
  ],
  [
    'names of manifests that are not asked for',
    'project/campaigns.ts',
    'documents: documents.filter((document) => !isMeant(document))',
    'documents: []',
    ['operations'],
  ],
  [
    'a template that is saved once',
    'sections/schedule.ts',
    'return save_as_template && (live === null || !before);',
    'return save_as_template;',
    ['sections'],
  ],
  [
    'a launch whose status is hidden and whose answer is lost',
    'apply/perform.ts',
    "? concluded(sent, 'in_doubt', sent.detail, 'the service shows no status')",
    "? concluded(sent, 'done')",
    ['system/end-to-end/hidden-status.test.ts'],
  ],
  [
    'the campaign of another workspace',
    'plan/match.ts',
    'return { ...taken, rivals: called ? [called] : [], problems: [lost(campaign, record, live)] };',
    'return taken;',
    ['system/scenarios'],
  ],
  [
    'the campaign that is gone',
    'plan/match.ts',
    'return { ...none, rivals: called ? [called] : [], problems: [lost(campaign, record, live)] };',
    'return none;',
    ['system/scenarios'],
  ],
  [
    'the pinned workspace',
    'apply/refresh.ts',
    'if (workspace === null) return;',
    'return;',
    ['system/scenarios'],
  ],
  [
    'stale plans',
    'plan/saved-plan.ts',
    'if (forecasts?.length === 0) return;',
    'return;',
    ['system/end-to-end/saved-plans'],
  ],
  [
    'the forecast of a saved plan',
    'plan/saved-plan.ts',
    'if (forecasts?.length === 0) return;',
    'if (forecasts !== null) return;',
    ['system/end-to-end/saved-plans'],
  ],
  [
    'altered plans',
    'plan/saved-plan.ts',
    'if (checksum !== fingerprintOf(rest)) return',
    'if (checksum === null) return',
    ['plan/saved-plan'],
  ],
  [
    'saved plans that show something else',
    'plan/saved-plan.ts',
    'return print === planFingerprint(shown, live, selection)',
    'return print !== null',
    ['plan/saved-plan'],
  ],
  [
    'the selection in the fingerprint',
    'plan/fingerprint.ts',
    'return fingerprint({ plan: shown, live, selection });',
    'void selection; return fingerprint({ plan: shown, live });',
    ['plan/saved-plan'],
  ],
  [
    'both sides in the fingerprint',
    'plan/fingerprint.ts',
    'campaigns: campaigns.map(decided) };',
    'campaigns: campaigns.map((one) => ({ ...decided(one), content: null })) };',
    ['plan/saved-plan'],
  ],
  [
    'changed manifests',
    'plan/saved-plan.ts',
    'if (changed.length === 0) return;',
    'return;',
    ['system/end-to-end/saved-plans'],
  ],
  [
    'waiting for what a dead run sent',
    'apply/refresh.ts',
    'if (longest > 0) await wait(longest);',
    '',
    ['system/trust/strange'],
  ],
  [
    'a clock that no one sets, for the wait after a run that died',
    'state/journal.ts',
    'age: ageOf(write),',
    'age: Date.now() + 3_600_000 - Date.parse(sentAt),',
    ['system/trust/strange'],
  ],
  [
    'the boot to which a count of milliseconds belongs',
    'state/journal.ts',
    'boot !== null && boot === now.boot',
    'boot !== null',
    ['state/journal'],
  ],
  [
    'names that the service writes in its own way',
    'plan/match.ts',
    'return alike ? { ...none, rivals: [alike], problems: [spelt(name, alike)] } : none;',
    'return none;',
    ['system/trust/strange'],
  ],
  [
    'ids that were there before',
    'apply/perform.ts',
    'if (beforehand.ids.has(created.id))',
    'if (false)',
    ['system/trust/strange'],
  ],
  [
    'emails of which only part is there',
    'plan/reconcile.ts',
    'if (changes.length > 0 && steps.length === 0) return false;',
    '',
    ['system/trust/strange'],
  ],
  [
    'sending a write once',
    'service/writer.ts',
    "return { result: { kind: 'in_doubt', message, repeat } };",
    'return { fault: message };',
    ['service/faults'],
  ],
  [
    'the word for leads of a campaign that is sending',
    'plan/build.ts',
    '...leadHazards(context, asked, entryLeads)',
    '',
    ['plan/lead-hazards'],
  ],
  [
    'the look at the status before leads are attached',
    'apply/campaign.ts',
    'if (!isFirst || accepted || plan.id === null) return null;',
    'return null;',
    ['apply/attach'],
  ],
  [
    'the doubt where the service shows more leads than before',
    'sections/leads.ts',
    'total > explainedLeads(context.recorded);',
    'total < 0;',
    ['sections/leads'],
  ],
  [
    'what there is at least, where a number of leads may be late',
    'sections/leads.ts',
    'if (!isLate) return',
    'if (total !== null) return',
    ['sections/leads'],
  ],
  [
    'the doubt where lists are attached and no number is known',
    'sections/leads.ts',
    'attached.lists.length > 0 ? 0 : attached.ids.length',
    'Number.POSITIVE_INFINITY',
    ['sections/leads'],
  ],
  [
    'the number of leads of a run that failed',
    'apply/campaign.ts',
    'const shown = seen ?? (await read?.()) ?? null;',
    'const shown = seen;',
    ['apply/old-state'],
  ],
  [
    'leads that the state does not explain, in an apply that attaches none',
    'sections/leads.ts',
    'return { ...recorded, total_leads: Math.min(total, explained) };',
    'return { ...recorded, total_leads: Math.max(total, explained) };',
    ['apply/old-state'],
  ],
  [
    'the number of leads that an apply learns where it was late',
    'apply/campaign.ts',
    'const now = { ...totalNow(recorded, totalLeads(context), tools.now()), has_run',
    'const now = { ...recorded, has_run',
    ['apply/old-state'],
  ],
  [
    'the word for leads that another campaign has mailed',
    'plan/lead-hazards.ts',
    'if (entry.id === ownId || isEmpty(shared) || ran === null) return [];',
    'return [];',
    ['plan/lead-hazards'],
  ],
  [
    'the status in the record of another campaign that has the same leads',
    'plan/lead-hazards.ts',
    'wordOf(answer) ?? listed?.status ?? null',
    'listed?.status ?? null',
    ['system/end-to-end/leads-elsewhere'],
  ],
  [
    'leads of a campaign that a manifest describes, in a plan of one file',
    'apply/refresh.ts',
    'const shared = sharedEntries(entryLeads, matches, environment);',
    'const shared = full ? sharedEntries(entryLeads, matches, environment) : [];',
    ['system/end-to-end/leads-elsewhere'],
  ],
  [
    'a campaign of our own that a person has started',
    'plan/lead-hazards.ts',
    '(word === null && recorded.has_run === false)',
    'recorded.has_run === false',
    ['plan/lead-hazards'],
  ],
  [
    'the campaigns that share leads with one of them',
    'rules/campaigns.ts',
    "({ spec }) => spec.status !== 'paused' && spec.leads !== undefined",
    "({ spec }) => spec.status === 'running' && spec.leads !== undefined",
    ['rules/campaign-rules'],
  ],
  [
    'every campaign that shares leads, not only the first',
    'rules/campaigns.ts',
    '.filter((other) => other !== campaign);',
    '.filter((other) => other !== campaign).slice(0, 1);',
    ['rules/campaign-rules'],
  ],
  [
    'the attachments of a run that died, of a campaign without a manifest',
    'plan/lead-hazards.ts',
    'return [recorded.attached, recorded.doubtful, ...sent].reduce(union);',
    'return recorded.attached;',
    ['plan/lead-hazards'],
  ],
  [
    'a campaign without a manifest in the plan',
    'plan/removed.ts',
    '.filter(({ id }) => !claimed.has(id))',
    '.filter(() => false)',
    ['plan/removed'],
  ],
  [
    'two records of a manifest that one checkout has moved',
    'plan/match.ts',
    'const there = called.filter(',
    'const there = (bound.length > 0 ? bound : called).filter(',
    ['plan/removed'],
  ],
  [
    'the words for a removed campaign that is paused',
    'view/plan-notices.ts',
    ': running === 0',
    ': running < 0',
    ['system/end-to-end/removal'],
  ],
  [
    'a renamed manifest that leaves its campaign without one',
    'plan/removed.ts',
    'new Set(matches.map(({ id }) => id))',
    'new Set(matches.flatMap(({ id, record }) => [id, record?.id]))',
    ['system/end-to-end/removal'],
  ],
  [
    'documents that move up in their file',
    'plan/match.ts',
    'if (before !== undefined && isSure)',
    'if (before !== undefined)',
    ['plan/match'],
  ],
  [
    'a campaign whose own file has an error',
    'plan/match.ts',
    'if (entry === undefined || file === null || file === campaign.file) return match;',
    'if (id !== undefined) return match;',
    ['system/end-to-end/removal'],
  ],
  [
    'the error for two live campaigns of one manifest',
    'plan/match.ts',
    'if (twins.length > 1) {',
    'if (twins.length < 0) {',
    ['plan/removed'],
  ],
  [
    'silence about other campaigns where some are selected',
    'apply/refresh.ts',
    'readRemoved(reader, full ? removed : [], listed)',
    'readRemoved(reader, removed, listed)',
    ['system/end-to-end/removal'],
  ],
  [
    'drift that is a running campaign without a manifest',
    'operations/run.ts',
    "(mode === 'drift' ? running : step !== null)",
    'step !== null',
    ['system/end-to-end/removal'],
  ],
  [
    'the open requests of a campaign beside those of the one that its manifest had before',
    'state/journal.ts',
    'open = open.filter((one) => !isOf(line, one));',
    'open = open.filter((one) => one.manifest !== line.manifest);',
    ['state/journal'],
  ],
  [
    'the title that goes out with emails that are posted',
    'sections/sequence-diff.ts',
    "return isPosted && titleOf(live, context).from === '' ?",
    'return isPosted && false ?',
    ['view/sent-is-shown'],
  ],
  [
    'the wait of a new email in the HTML view',
    'view/html-emails.ts',
    "const isUntold = words === 'Wait' && live === null && desired?.wait_in_days !== wait;",
    'const isUntold = false;',
    ['view/sent-is-shown'],
  ],
  [
    'how old an answer is that shows no launch',
    'apply/perform.ts',
    'if (lost && !moved && asked >= timeFor',
    'if (lost && !moved && tools.elapsed() - began >= timeFor',
    ['system/trust/strange'],
  ],
  [
    'open requests that keep a campaign from being forgotten',
    'operations/forget.ts',
    'if (known.pending.length > 0 && known.manifest !== null)',
    'if (known.pending.length < 0)',
    ['system/end-to-end/removal'],
  ],
  [
    'what is no number of leads',
    'sections/leads.ts',
    'wholeNumber(body.total_leads)',
    'Number(body.total_leads)',
    ['sections/leads'],
  ],
  [
    'a list for a boolean',
    'sections/decode.ts',
    "typeof value === 'object' ? '' : String(value)",
    'String(value)',
    ['sections/settings'],
  ],
  [
    'a wait that is no number',
    'service/pacing.ts',
    "text === '' && (typeof inBody === 'string' || typeof inBody === 'number')",
    "text === ''",
    ['service/pacing'],
  ],
  [
    'an empty status',
    'sections/decode.ts',
    'return said?.trim() ? said : null;',
    'return said;',
    ['sections/status'],
  ],
  [
    'an empty status of the list',
    'service/decode.ts',
    "&& inner.status.trim() !== ''",
    '',
    ['service/lists'],
  ],
  [
    'an empty variable for the environment',
    'operations/world.ts',
    "env === null && CAMPAIGNCTL_ENV === ''",
    'env === null && false',
    ['cli/config'],
  ],
  [
    'a choice that is no object',
    'operations/choices.ts',
    "if (typeof given !== 'object' || given === null || Array.isArray(given))",
    'if (typeof given === "symbol" || given === null)',
    ['operations/project'],
  ],
  [
    'the message where there is no room',
    'view/plan-markdown.ts',
    '${(alone || hint) && `: ${alone || hint}`}',
    '${hint && `: ${hint}`}',
    ['view/plan-view'],
  ],
  [
    'empty words after --',
    'cli/program.ts',
    "withoutMarks(value) === '' ||",
    "value === '' ||",
    ['cli/options'],
  ],
  [
    'the opposite of an option with a value',
    'cli/program.ts',
    'if (opposite !== undefined &&',
    'if (opposite === undefined &&',
    ['cli/options'],
  ],
  [
    'empty names of files',
    'project/manifests.ts',
    "if (name === '')",
    'if (!name.length && name)',
    ['project/campaigns'],
  ],
  [
    'the folder of the project in a saved plan',
    'operations/session.ts',
    "resolve(realpathSync(cwd), file)) || '.'",
    'resolve(realpathSync(cwd), file))',
    ['system/end-to-end/saved-plans'],
  ],
  [
    'flags that are told neither true nor false',
    'cli/program.ts',
    'refuseUnclear(given, {',
    'void ({',
    ['cli/options'],
  ],
  [
    'the comment whose only news is a removed campaign',
    'cli/commands/comment.ts',
    ' || summary.removed > 0',
    '',
    ['cli/comment'],
  ],
  [
    'what the manifest gained since the last apply',
    'import/merge.ts',
    "if (origin === 'manifest' || isAdded) return null;",
    "if (isAdded) return undefined; if (origin === 'manifest') return null;",
    ['import/update-kept'],
  ],
  [
    'what manifest and service both changed',
    'import/merge.ts',
    "return origin === 'both' ? both('it') : UNKNOWN;",
    'return undefined;',
    ['import/update-kept'],
  ],
  [
    'steps that the service added, removed or moved',
    'import/merge.ts',
    'return isStep;',
    'return () => false;',
    ['import/update-kept'],
  ],
  [
    'a step that is not the one that stood there',
    'import/merge.ts',
    '? [] : [place];',
    '? [] : [];',
    ['import/update-kept'],
  ],
  [
    'the mark of invisible characters',
    'model/characters.ts',
    '\\p{Cs}\\p{Default_Ignorable_Code_Point}'.replaceAll('\\', '\\\\'),
    '\\p{Cs}'.replaceAll('\\', '\\\\'),
    ['model/characters'],
  ],
  ['emoji as they are', 'model/characters.ts', '...EMOJI, ...JOINERS', '...JOINERS', ['model/characters']],
  [
    'the finding of invisible characters',
    'rules/text.ts',
    'found.push({ character, index });',
    '{}',
    ['rules/copy-rules'],
  ],
  [
    'the marks in what the service says',
    'service/mask.ts',
    'return visibleLine(clean',
    'return (clean',
    ['service/lists'],
  ],
  [
    'the marks in pages',
    'view/html-page.ts',
    "escaped(visible(piece.replace(/\\r\\n?/g, '\\n')))",
    "escaped(piece.replace(/\\r\\n?/g, '\\n'))",
    ['view/html-page'],
  ],
  [
    'the marks in Markdown',
    'view/markdown.ts',
    'return visibleLine(text)\n    .replace(/[\\\\`*',
    'return text\n    .replace(/[\\\\`*',
    ['view/hidden-characters'],
  ],
  [
    'the last look at what goes out',
    'view/terminal.ts',
    '(at % 2 === 1 ? part : visible(part))',
    '(at % 2 === 1 ? part : part)',
    ['system/security/output', 'view/hidden-characters'],
  ],
  [
    'options of the library that are unset, empty or of another kind',
    'operations/choices.ts',
    'if (is(value)) continue;',
    'continue;',
    ['operations/project'],
  ],
  [
    'options that the library does not know',
    'operations/choices.ts',
    'if (kind === undefined)',
    'if (kind === undefined) continue; if (kind === "text" && value === 0)',
    ['operations/project'],
  ],
  [
    'a run that goes on where an onlooker throws',
    'operations/project.ts',
    'broken = true;',
    'throw error;',
    ['operations/project'],
  ],
  [
    'the end of all campaigns before the lock is given back',
    'apply/tools.ts',
    '.catch((error: unknown) => thrown.push(error))',
    '',
    ['operations/project'],
  ],
  [
    'the word for a running campaign that the state does not know',
    'plan/adopt.ts',
    'if (status === null || steps.length === 0) return [];',
    'if (steps.length >= 0) return [];',
    ['plan/adopt'],
  ],
  [
    'the status of the list where the record is not read',
    'plan/adopt.ts',
    'if (word === null || (shown.word !== null && !shown.believed)) return sendingStatus(context);',
    'return sendingStatus(context);',
    ['plan/adopt'],
  ],
  [
    'a creation without an answer that is not taken for known',
    'plan/build.ts',
    'isKnown: id === null || known.has(id) || isMadeBy(pending, id),',
    'isKnown: id === null || known.has(id) || context.recorded.known,',
    ['plan/adopt'],
  ],
  [
    'a number of leads that is not shown and is not 0',
    'plan/reconcile.ts',
    '(id === context.id || totalLeads(context) === 0)',
    '(id === context.id || (totalLeads(context) ?? 0) === 0)',
    ['plan/adopt'],
  ],
  [
    'a running campaign that is found after a lost creation',
    'apply/perform.ts',
    'if (stranger !== null) return',
    'if (seen === null) return',
    ['system/end-to-end/launches'],
  ],
  [
    'the look at the status before the first write to a stranger',
    'apply/campaign.ts',
    'const isSure = work.isKnown ||',
    'const isSure = true || work.isKnown ||',
    ['system/end-to-end/adopt'],
  ],
  [
    'the name of a removed campaign',
    'plan/removed.ts',
    'const isKnown = isNamed && (',
    'const isKnown = (',
    ['plan/adopt'],
  ],
  [
    'strangers that stay unknown',
    'apply/campaign.ts',
    'strangerStatus(context, isKnown) === null &&',
    '',
    ['system/end-to-end/adopt'],
  ],
  [
    'the record of a stranger',
    'apply/refresh.ts',
    "...(isToldApart ? [] : ['campaign' as const])",
    '',
    ['system/end-to-end/adopt'],
  ],
  [
    'the word before a pause of a campaign that may be another one',
    'plan/removed.ts',
    'const isKnown = isNamed && (known.has(id) || isMadeBy(pending, id));',
    'const isKnown = true;',
    ['plan/adopt'],
  ],
  [
    'entries of another service',
    'state/store.ts',
    'base_url === address;',
    'base_url !== address || true;',
    ['system/end-to-end/address'],
  ],
  [
    'the word before a campaign is made at another address',
    'plan/address-changed.ts',
    'if (id !== null || steps.length === 0)',
    'if (id !== null || steps.length >= 0)',
    ['system/end-to-end/address'],
  ],
  [
    'the word about a run that died at another address',
    'state/journal.ts',
    'if (base_url !== address) found.push',
    'if (base_url === address) found.push',
    ['system/end-to-end/address'],
  ],
  [
    'journals of another service',
    'state/journal.ts',
    'if (address !== null && planned.plan.base_url !== address) return [];',
    '',
    ['state/journal'],
  ],
];

const malformed = MUTANTS.filter((one) => one.length !== 5 || !Array.isArray(one[4]));
if (malformed.length > 0)
  throw new Error(`These are not of five fields: ${malformed.map(([name]) => name).join(', ')}`);
const stale = MUTANTS.filter(([, file, found]) => !textOf(root, file).includes(found));
if (stale.length > 0)
  throw new Error(`These do not apply any more: ${stale.map(([name]) => name).join(', ')}`);
if (process.argv.includes('--applies')) process.exit();

/** Whether tests pass without any mutant, by their names. */
const baseline = new Map();
const copy = mkdtempSync(join(tmpdir(), 'campaignctl-mutants-'));
try {
  for (const part of [
    'src',
    'test',
    'schemas',
    'docs',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'action.yml',
    'README.md',
    'examples',
    '.pre-commit-hooks.yaml',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const words = process.argv.slice(2);
  const wanted = MUTANTS.filter(
    (one) => words.length === 0 || words.some((word) => String(one).includes(word)),
  );
  const survivors = wanted.filter((mutant) => !isMissed(mutant));
  console.log(`${wanted.length - survivors.length} of ${wanted.length} were missed`);
  if (survivors.length > 0) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Whether a test fails without it. */
function isMissed([name, file, found, instead, tests]) {
  if (!passesWithout(tests)) {
    console.log(`✗ its tests fail without it: ${name}`);
    return false;
  }
  const path = join(copy, 'src', file);
  const text = textOf(copy, file);
  writeFileSync(
    path,
    text.replace(found, () => instead),
  );
  const ended = run(tests);
  writeFileSync(path, text);
  console.log(
    `${{ passed: '✗ no test misses', failed: '✓ missed:', neither: '✗ does not run:' }[ended]} ${name}`,
  );
  return ended === 'failed';
}

/** The same tests are tried once. A machine that has much to do may need a second time. */
function passesWithout(tests) {
  const key = tests.join();
  const known = baseline.get(key) ?? (run(tests) === 'passed' || run(tests) === 'passed');
  baseline.set(key, known);
  return known;
}

/** Neither: out of time, or a text that is no program any more. A mutant is missed only where a test says so. */
function run(tests) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const command = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--bail=1',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  const files = tests.map((test) => `test/${test}`);
  const options = { cwd: copy, stdio: 'ignore', timeout: 600_000 };
  const { status } = spawnSync(process.execPath, [...command, ...files], options);
  if (status === 0) return 'passed';
  const failed = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).numFailedTests : 0;
  return failed > 0 ? 'failed' : 'neither';
}

function textOf(tree, file) {
  const path = join(tree, 'src', file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
