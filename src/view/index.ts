/** Views: functions from plans, results and findings to text. They compare and decide nothing, and escape foreign text. */

export { renderCalendarMarkdown, renderCalendarText } from './calendar.js';
export { renderCompareMarkdown, renderCompareText } from './compare.js';
export { renderImportText, renderUpdateText } from './import.js';
export { renderListMarkdown, renderListText } from './list.js';
export { renderPlanMarkdown } from './plan-markdown.js';
export { type PlanTextOptions, renderPlanText, renderRequestsText } from './plan-text.js';
export { unreadLine } from './plan-view.js';
export { renderQuestion } from './question.js';
export { renderApplyText, renderRunsText, renderRunText } from './runs.js';
export {
  escapedJson,
  plain,
  printable,
  renderJson,
  type TextOptions,
  visibleLine,
} from './terminal.js';
