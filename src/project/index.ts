/** `campaignctl.yaml`, its environments and files. Reads nothing outside the project, no service and no environment variable. */
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
