// Plans a project every night and prints the plan. Applies it without launches, unless something else in it needs approval.
//
//     node nightly.js shop production
import { Failure, openProject, plain, renderPlanText } from 'campaignctl';

const [cwd = '.', env] = process.argv.slice(2);
const choice = env === undefined ? {} : { env };

try {
  const project = await openProject({ cwd, log: (line) => console.error(line) });
  const errors = (await project.validate(choice)).filter(({ severity }) => severity === 'error');
  for (const { file, line, message } of errors) console.error(`${file}:${line}: ${message}`);
  if (errors.length > 0) process.exit(1);

  const plan = await project.plan(choice);
  console.log(renderPlanText(plan, { paint: plain, width: 100 }));

  // Launches are left out here. If anything else needs approval, apply refuses the whole plan.
  const applied = await project.apply({ ...choice, hold: ['launch'] });
  for (const { name, result } of applied.campaigns) console.log(`${name}: ${result}`);
  process.exitCode = applied.result === 'done' ? 0 : 4;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`${error.message} ${error.hint}`);
  process.exitCode = error.exitCode;
}
