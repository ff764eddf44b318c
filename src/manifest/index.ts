/**
 * Text → campaigns. It promises to report every problem of every manifest at once, in the author's words, and that
 * a campaign it hands on is as the schema says, with its overlay applied and its files read in. It must not touch the
 * disk (the caller reads), throw for what an author wrote, or know where the project lies. Findings carry paths;
 * `locate` looks lines up at the very end.
 */

export {
  type ManifestDocument,
  type ManifestParser,
  manifestParser,
  type ParsedManifest,
  sectionOf,
} from './documents.js';
export {
  badText,
  CODES,
  type Code,
  errorAt,
  nearest,
  placeOf,
  quoted,
  type SourceFinding,
  unknownEnvironment,
} from './errors.js';
export {
  type FileProblem,
  type FileText,
  fileWording,
  LIMITS,
  type ReadFile,
} from './files.js';
export { escapeExpressions } from './for-each.js';
export { lineFinder, linesOfFindings, locate, type SourceFile } from './locate.js';
export { composeYaml, parseYaml } from './parse.js';
export { applyOverlay, type RuleSwitch, type WrittenCampaign } from './resolve.js';
export { type ValidatedSchema, validate } from './validate.js';
export { findingOf, type Validator, type Violation } from './wording.js';
