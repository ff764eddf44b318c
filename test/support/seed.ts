/** Property tests use the same cases in every run. `PROPERTY_SEED=random` uses different ones; a number repeats a run. */
import fc from 'fast-check';

const wanted = process.env.PROPERTY_SEED ?? '20261122';

if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
