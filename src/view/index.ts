/**
 * Views: functions from a plan, an apply's result or findings to a string, and nothing else. Every view shows the same value;
 * none reads, compares or decides anything. Foreign text never moves the terminal: see `visible`.
 */

export { renderApplyText } from './apply-text.js';

export { renderCalendarMarkdown, renderCalendarText } from './calendar.js';
export { renderCompareText } from './compare-text.js';
export { renderConfigText } from './config-text.js';
export { renderRunsText, renderRunText } from './history-text.js';
export { renderImportText } from './import-text.js';
export { renderJson } from './json.js';
export { renderListText } from './list-text.js';
export { renderCompareMarkdown } from './markdown/compare.js';
export { renderPlanMarkdown } from './markdown/index.js';
export { renderListMarkdown } from './markdown/list.js';
export { renderPlanText } from './plan-text.js';
export { renderRequestsText } from './requests-text.js';
export { escapedJson, plain, printable, type TextOptions, visibleLine } from './terminal.js';
export { renderUpdateText } from './update-text.js';
export { count } from './words.js';
