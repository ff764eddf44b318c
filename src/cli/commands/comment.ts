import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { holdFlag } from '../../model/hold.js';
import type { Plan } from '../../model/outputs.js';
import { listed, minuteOf, shortCommit } from '../../model/words.js';
import { readPlanFile } from '../../operations/plan.js';
import { isFolder, plansOf, readPlans, sourceOf } from '../../operations/plan-set.js';
import { openWaits } from '../../operations/waits.js';
import type { SavedPlan } from '../../plan/saved-plan.js';
import { githubPlace, githubToken, gitlabPlace, gitlabToken } from '../../platform/ci.js';
import { type CommentResult, type Conversation, putComment } from '../../platform/comment.js';
import { openGithub, openGitlab } from '../../platform/hosts.js';
import { unreadLine } from '../../view/plan-counts.js';
import { renderPlanMarkdown } from '../../view/plan-markdown.js';
import { isWorthTelling } from '../../view/plan-view.js';
import { renderPlansMarkdown } from '../../view/plans.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { manifestLinks } from '../links.js';
import type { Shell } from '../shell.js';

type CommentFlags = Flags<'comment'>;

export async function run(flags: CommentFlags, shell: Shell): Promise<ExitCode> {
  const report = isFolder(flags.file, shell)
    ? await reportSet(flags, shell)
    : reportPlan(await readPlanFile(flags.file, shell), flags, shell);
  const origin = originLine(report.source, shell);
  const marker = markerLine(report, flags.marker);
  const conversation = open(flags, shell);
  try {
    const result = await putComment(conversation, {
      marker,
      render: (limit) => `${report.render(limit - origin.length)}${origin}`,
      create: report.isWorthTelling,
    });
    const not_read = report.plans.reduce((sum, { summary }) => sum + summary.not_read, 0);
    const unread = result.kind === 'none' ? unreadLine({ not_read }) : null;
    shell.out(`${[resultLine(result, conversation.title), unread].filter(Boolean).join(' ')}\n`);
    return report.code;
  } finally {
    await conversation.close();
  }
}

interface Report {
  /** A project file or, for several projects, their folder with a slash at the end. */
  project: string;
  environment: string;
  source: SavedPlan['created'] | null;
  render(limit: number): string;
  isWorthTelling: boolean;
  plans: Plan[];
  code: ExitCode;
}

function reportPlan({ plan, created: source }: SavedPlan, flags: CommentFlags, shell: Shell): Report {
  const folder = flags.config === null ? shell.cwd : dirname(resolve(shell.cwd, flags.config));
  const linkTo = manifestLinks(folder, source.commit, shell.env);
  const next = nextStep([plan], flags);
  return {
    project: source.project,
    environment: plan.environment,
    source,
    render: (limit) => renderPlanMarkdown(plan, limit, { linkTo, next, page: pageOf(flags) }),
    isWorthTelling: isWorthTelling(plan),
    plans: [plan],
    code: EXIT.ok,
  };
}

async function reportSet(flags: CommentFlags, shell: Shell): Promise<Report> {
  const set = await readPlans(flags.file, shell);
  const runs = plansOf(set);
  const source = sourceOf(set);
  const plans = runs.flatMap(({ result }) => result ?? []);
  const isFailed = runs.some(({ failure }) => failure !== null);
  const isLost = set.lost !== null && set.lost.projects.length > 0;
  const linksOf = (project: string) =>
    manifestLinks(resolve(shell.cwd, project), source?.commit ?? null, shell.env);
  const next = nextStep(plans, flags);
  return {
    project: `${set.folder}/`,
    environment: set.env ?? '*',
    source,
    render: (limit) =>
      renderPlansMarkdown(runs, limit, {
        ...{ lost: set.lost, env: set.env },
        ...{ linksOf, next, page: pageOf(flags) },
      }),
    isWorthTelling: isFailed || isLost || plans.some(isWorthTelling),
    plans,
    code: isFailed ? EXIT.error : EXIT.ok,
  };
}

function nextStep(plans: readonly Plan[], { next }: CommentFlags): string {
  const environments = [...new Set(plans.map(({ environment }) => environment))];
  const holds = [...new Set(plans.flatMap(({ hold = [] }) => hold.map(holdFlag)))];
  const flags = holds.length === 0 ? '' : ` with ${holds.join(' ')}`;
  return next ?? (environments.length === 0 ? '' : `Merge to apply to ${listed(environments)}${flags}.`);
}

/** The address as a browser writes it, so that it ends no link. `null` without `--page`. */
function pageOf({ page }: CommentFlags): string | null {
  if (page === null) return null;
  const url = URL.canParse(page) ? new URL(page) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url.href;
  throw usage(
    '--page needs the address of a page, https://… or http://…, without a name or password.',
    'Pass the address of the artifact that contains the page, as docs/pipelines.md shows.',
  );
}

function open({ platform, number, debug }: CommentFlags, shell: Shell): Conversation {
  const { env } = shell;
  const options = { trace: debug ? (line: string) => shell.err(line) : null, waits: openWaits(shell) };
  return (platform ?? (env.GITLAB_CI ? 'gitlab' : 'github')) === 'gitlab'
    ? openGitlab(gitlabPlace(env, number), { ...options, token: gitlabToken(env) })
    : openGithub(githubPlace(env, readEvent(shell), number), { ...options, token: githubToken(env) });
}

function originLine(source: SavedPlan['created'] | null, { env, now }: Shell): string {
  const { at, commit } = source ?? { at: new Date(now()).toISOString(), commit: null };
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: project, GITHUB_RUN_ID: run } = env;
  const address = server && project && run ? `${server}/${project}/actions/runs/${run}` : env.CI_JOB_URL;
  const isSafe = address !== undefined && /^https:\/\/[\w.:/~-]+$/.test(address);
  const from = commit === null ? '' : ` from ${shortCommit(commit)}`;
  const kept = isSafe ? ` · [the run that has the whole plan](${address})` : '';
  return `\n<sub>Created ${minuteOf(at)}${from}${kept}</sub>\n`;
}

function readEvent({ env }: Shell): string | null {
  try {
    return readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8');
  } catch {
    return null;
  }
}

/** A hidden line that identifies the comment; there is one comment per project, environment and `--marker`. */
function markerLine(
  { project, environment }: Pick<Report, 'project' | 'environment'>,
  more: string | null,
): string {
  if (more !== null && !/^[\w./]+(?:-[\w./]+)*$/.test(more)) {
    throw usage(
      '--marker accepts letters and digits, with . _ / or single hyphens between them.',
      'For example, use the folder of the project: --marker clients/brightmoor.',
    );
  }
  const parts = [project, environment, ...(more === null ? [] : [more])];
  return `<!-- campaignctl:${parts.map(markerPart).join(':')} -->`;
}

/** Two hyphens would end the HTML comment, and a colon the part. */
function markerPart(text: string): string {
  return text.replace(/[^\w./*-]|-(?=-)/gu, (character) => `&#${character.codePointAt(0)};`);
}

function resultLine({ kind, url }: CommentResult, title: string): string {
  const address = url === null ? '' : `: ${visibleLine(url)}`;
  switch (kind) {
    case 'none':
      return `No changes, and ${title} has no comment to update. Nothing was written.`;
    case 'unchanged':
      return `The comment on ${title} is already up to date${address}`;
    default:
      return `The comment on ${title} was ${kind}${address}`;
  }
}
