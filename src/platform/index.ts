/** One comment and the labels of a pull or merge request on GitHub and GitLab. */
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
