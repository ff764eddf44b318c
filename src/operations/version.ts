import manifest from '../../package.json' with { type: 'json' };

/** Inlined by the build. */
export const { version } = manifest;
