/**
 * GitHub and GitLab, as far as one comment on a pull or merge request goes. Writes nothing else, touches nobody else's
 * comment, and sends the token to one origin only.
 */
export type { ApiOptions } from './api.js';
export type { Conversation, Place } from './conversation.js';
export { openGithub } from './github.js';
export { openGitlab } from './gitlab.js';
export { githubPlace, githubToken, gitlabPlace, gitlabToken } from './place.js';
export { type Put, putComment } from './sticky.js';
