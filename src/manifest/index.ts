/**
 * Text → campaigns. It promises that every problem of every manifest is said at once, in the author's words, and that
 * a campaign it hands on is as the schema says, with its overlay applied and its files read in. It must not touch the
 * disk (the caller reads), throw for what an author wrote, or know where the project lies. Findings carry paths;
 * `locate` looks lines up at the very end.
 */
export { CODES, type Code } from './codes.js';
export { type ManifestParser, manifestParser, type ParsedManifest } from './documents.js';
export { escapeExpressions } from './expressions.js';
export {
  type FileProblem,
  type FileText,
  fileWording,
  LIMITS,
  type ReadFile,
} from './file-text.js';
export { errorAt, placeOf, type SourceFinding } from './finding.js';
export { lineFinder, locate, type Source } from './locate.js';
export { nearest } from './nearest.js';
export { applyOverlay } from './overlay.js';
export { composeYaml, parseYaml } from './parse.js';
export type { LintSubject, ManifestDocument, RuleSwitch } from './resolve.js';
export { didYouMean, listed } from './suggest.js';
export { badText, quoted } from './text.js';
export { type Rules, validate } from './validate.js';
export { findingOf, type Validator, type Violation } from './violation.js';
