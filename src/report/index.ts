/**
 * Views: functions from a plan, an apply's result or findings to a string, and nothing else. Every view shows the same value;
 * none reads, compares or decides anything. Foreign text never moves the terminal: see `visible`.
 */
export { renderApplyText } from './apply-text.js';
export { renderFailureText } from './failure-text.js';
export { findingsSummary, renderFindingsText } from './findings-text.js';
export { renderJson } from './json.js';
export { coloured, type Paint, plain } from './paint.js';
export { problemLines, renderPlanText, summaryLine, type TextOptions } from './plan-text.js';
export { renderRequestsText } from './requests-text.js';
export { visible, visibleLine } from './visible.js';
export { count } from './words.js';
