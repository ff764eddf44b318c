/**
 * GitHub and GitLab, as far as one comment on a pull or merge request and its labels go. Writes nothing else, touches no comment
 * and no label of others, and sends the token to one origin only.
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
  putLabels,
} from './comment.js';
