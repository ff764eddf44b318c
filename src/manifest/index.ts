/**
 * From text to campaigns, with every problem reported at once. Reads nothing by itself, and findings carry paths; `locate` adds
 * lines.
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
