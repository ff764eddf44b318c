import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Plan } from '../../model/outputs.js';
import { readPlanFile } from '../../operations/plan.js';
import { isFolder, plansOf, readPlans } from '../../operations/plan-sets.js';
import type { SavedPlan } from '../../plan/files.generated.js';
import {
  type CommentResult,
  type Conversation,
  githubPlace,
  githubToken,
  gitlabPlace,
  gitlabToken,
  openGithub,
  openGitlab,
  putComment,
  putLabels,
} from '../../platform/comment.js';
import { renderPlanMarkdown } from '../../view/plan-markdown.js';
import { isWorthTelling, nextStep, unreadLine, viewPlan } from '../../view/plan-view.js';
import { renderProjectsMarkdown } from '../../view/projects.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { manifestLinks } from '../links.js';
import type { Shell } from '../shell.js';

type CommentFlags = Flags<'comment'>;

/** Updates the comment of a saved plan's environment on a pull or merge request. */
export async function run(flags: CommentFlags, shell: Shell): Promise<ExitCode> {
  const told = isFolder(flags.file, shell)
    ? await severalPlans(flags, shell)
    : onePlan(await readPlanFile(flags.file, shell), flags, shell);
  const origin = originOf(told.made, shell);
  const marker = markerOf(told.marker, flags.marker);
  const conversation = open(flags, shell);
  try {
    const { what, url } = await putComment(conversation, {
      marker,
      render: (limit) => `${told.render(limit - origin.length)}${origin}`,
      create: flags.always || told.isWorthTelling,
    });
    const labels = flags.labels ? labelsOf(told, flags.marker) : null;
    if (labels !== null) await putLabels(conversation, labels);
    const not_read = told.plans.reduce((sum, { summary }) => sum + summary.not_read, 0);
    const left = what === 'none' ? unreadLine({ not_read }) : null;
    const said = [resultLine({ what, url }, conversation.title), left].filter(Boolean).join(' ');
    shell.out(`${said}\n`);
    return told.code;
  } finally {
    await conversation.close();
  }
}

/** `marker`: its environment. */
interface Told {
  marker: string;
  made: SavedPlan['made'];
  render(limit: number): string;
  isWorthTelling: boolean;
  plans: Plan[];
  code: ExitCode;
}

function onePlan({ plan, made }: SavedPlan, flags: CommentFlags, shell: Shell): Told {
  const linkTo = manifestLinks(projectFolder(flags, shell), made.commit, shell.env);
  const next = nextStep(plan, thenOf(plan, flags));
  return {
    ...{ marker: plan.environment, made, plans: [plan], code: EXIT.ok },
    render: (limit) => renderPlanMarkdown(plan, limit, { linkTo, next }),
    isWorthTelling: isWorthTelling(plan),
  };
}

/** Includes projects that could not be planned. */
async function severalPlans(flags: CommentFlags, shell: Shell): Promise<Told> {
  const set = await readPlans(flags.file, shell);
  const runs = plansOf(set);
  const made = set.runs.flatMap(({ result }) => result?.made ?? [])[0];
  const none = { at: new Date(shell.now()).toISOString(), who: '', commit: null, tool: '' };
  const failed = runs.some(({ failure }) => failure !== null);
  const plans = runs.flatMap(({ result }) => result ?? []);
  const optionsOf = (project: string, plan: Plan) => ({
    linkTo: manifestLinks(resolve(shell.cwd, project), made?.commit ?? null, shell.env),
    next: nextStep(plan, thenOf(plan, flags)),
  });
  return {
    ...{ marker: `projects:${set.env ?? '*'}`, made: made ?? none, plans },
    render: (limit) => renderProjectsMarkdown(runs, limit, optionsOf),
    isWorthTelling: failed || plans.some(isWorthTelling),
    code: failed ? EXIT.error : EXIT.ok,
  };
}

function thenOf({ environment }: Plan, { next }: CommentFlags): string {
  return next ?? `Merge to apply to ${environment}.`;
}

/** Base of manifest paths: the project's folder. */
function projectFolder({ config }: CommentFlags, { cwd }: Shell): string {
  return config === null ? cwd : dirname(resolve(cwd, config));
}

/** GitHub limits labels to 50 characters. */
const LONGEST_SCOPE = 32;

/** "production: launch". Labels of `known` that do not apply are removed. */
function labelsOf({ plans, marker: environment }: Told, marker: string | null) {
  const scope = [marker, environment].filter(Boolean).join(' ').slice(0, LONGEST_SCOPE);
  const sum = (key: 'requests' | 'launch' | 'blocked') =>
    plans.reduce((all, { summary }) => all + summary[key], 0);
  const holds = {
    changes: sum('requests') > 0,
    launch: sum('launch') > 0,
    'needs approval': plans.some((plan) => viewPlan(plan).approvals.length > 0),
    blocked: sum('blocked') > 0,
  };
  const all = Object.entries(holds).map(([words, is]) => ({ label: `${scope}: ${words}`, is }));
  return {
    wanted: all.filter(({ is }) => is).map(({ label }) => label),
    known: all.map(({ label }) => label),
  };
}

function open({ platform, pr, mr, debug }: CommentFlags, shell: Shell): Conversation {
  const { env } = shell;
  const trace = debug ? (line: string) => shell.err(line) : null;
  const gitlab = platform === null ? Boolean(env.GITLAB_CI) : platform === 'gitlab';
  if ((gitlab ? pr : mr) !== null) {
    throw gitlab
      ? usage('GitLab has no pull requests.', 'Name the merge request with --mr.')
      : usage('GitHub has no merge requests.', 'Name the pull request with --pr.');
  }
  return gitlab
    ? openGitlab(gitlabPlace(env, mr), { token: gitlabToken(env), trace })
    : openGithub(githubPlace(env, readEvent(shell), pr), { token: githubToken(env), trace });
}

/** Commit and pipeline run of the plan. */
function originOf({ at, commit }: SavedPlan['made'], { env }: Shell): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: project, GITHUB_RUN_ID: run } = env;
  const address = server && project && run ? `${server}/${project}/actions/runs/${run}` : env.CI_JOB_URL;
  const isSafe = address !== undefined && /^https:\/\/[\w.:/~-]+$/.test(address);
  const from = commit === null ? '' : ` from ${commit.slice(0, 10)}`;
  const kept = isSafe ? ` · [the run that keeps the whole plan](${address})` : '';
  return `\n<sub>Made ${at.slice(0, 16).replace('T', ' ')} UTC${from}${kept}</sub>\n`;
}

/** `null` if there is no event file. */
function readEvent({ env }: Shell): string | null {
  try {
    return readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8');
  } catch {
    return null;
  }
}

/** A hidden line: one comment an environment and `--marker`. */
function markerOf(environment: string, more: string | null): string {
  if (more !== null && !/^[\w./]+(?:-[\w./]+)*$/.test(more)) {
    throw usage(
      '--marker takes letters, digits, and . _ / or single hyphens between them.',
      'For example the folder of the project: --marker clients/brightmoor.',
    );
  }
  return `<!-- campaignctl:${environment}${more === null ? '' : `:${more}`} -->`;
}

function resultLine({ what, url }: CommentResult, title: string): string {
  const where = url === null ? '' : `: ${visibleLine(url)}`;
  if (what === 'none') return `No changes, and ${title} has no comment to update: nothing was written.`;
  if (what === 'too-large')
    return `Even shortened, the plan is too large for a comment on ${title}. No comment was written.`;
  if (what === 'unchanged') return `The comment on ${title} is already up to date${where}`;
  return `The comment on ${title} was ${what}${where}`;
}
