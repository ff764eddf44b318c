/**
 * The project on disk: `campaignctl.yaml`, its environments, and the files its manifests name. It promises that
 * nothing outside the project is read and that every problem is said at once with its line. It must not talk to a
 * service or read environment variables: a token is known here by the name of its variable only.
 */
export { describedIn, type LoadedCampaigns, loadCampaigns, selectedOf } from './campaigns.js';
export { isBelow, type NewText, readerBelow, realPlace, rewriteFiles, writeFiles } from './files.js';
export {
  editorLine,
  findManifests,
  type ManifestPlace,
  manifestPlace,
  SCHEMA_FILES,
  takenBasenames,
} from './manifests.js';
export {
  configFor,
  configOf,
  FILE_NAME,
  type Project,
  readProject,
  selectEnvironment,
} from './project.js';
export { findProjects } from './projects.js';
export { writeStateId } from './state-id.js';
