export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts' },
  mutate: ['src/{plan,apply,sections,state}/**/*.ts', '!src/**/*.generated.*'],
  // Golden files check the wording, not the tests of these folders.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Stryker cannot parse a tsconfig with the compiler API of TypeScript 7, and needs none.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  ignorePatterns: ['dist', 'docs/pictures'],
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { allowColor: false, reportTests: false },
  tempDirName: '.stryker',
};
