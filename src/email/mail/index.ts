/**
 * What a recipient gets: an email of a manifest with the values of one lead, in the forms in which mail programs show it.
 * It promises to take any copy and any HTML, in linear time. It must not judge (the lint rules do), clean HTML up
 * (whoever reviews a mail has to see what is sent) or know how it is shown.
 */

export { variablesOf } from './fill.js';
export { htmlToText } from './html-text.js';
export { decodeLeads, type SampleLead, sampleLeads } from './leads.js';
export {
  choicesIn,
  LONG_SUBJECT,
  type Mail,
  renderMail,
  replySubject,
  type WrittenMail,
} from './mail.js';
export { earliestDays, sequenceOf, threadSubject } from './sequence.js';
