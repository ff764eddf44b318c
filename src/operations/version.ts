import manifest from '../../package.json' with { type: 'json' };

/** The version of this package. The build inlines it. */
export const { version } = manifest;
