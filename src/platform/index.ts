/**
 * GitHub and GitLab, as far as one comment on a pull or merge request goes. Writes nothing else, touches no comment of
 * others, and sends the token to one origin only.
 */
export {
  type CommentResult,
  type Conversation,
  githubPlace,
  githubToken,
  gitlabPlace,
  gitlabToken,
  openGithub,
  openGitlab,
  putComment,
} from './comment.js';
