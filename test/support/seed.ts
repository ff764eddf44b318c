/**
 * Property tests use the same cases in every run: 50, unless a test or `TRUST_CASES` sets their number. `PROPERTY_SEED=random`
 * uses different ones; a number repeats a run.
 */
import fc from 'fast-check';

const wanted = process.env.PROPERTY_SEED ?? '20261122';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: Number(process.env.TRUST_CASES ?? 50),
  ...(wanted === 'random' ? {} : { seed: Number(wanted) }),
});
