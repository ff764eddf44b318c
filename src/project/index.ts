/**
 * The project on disk: `campaignctl.yaml`, its environments, and the files its manifests name. It promises that
 * nothing outside the project is read and that every problem is said at once with its line. It must not talk to a
 * service or read environment variables: a token is known here by the name of its variable only.
 */
export { type LoadedCampaigns, loadCampaigns } from './campaigns.js';
export { readerBelow } from './files.js';
export { basenamesIn, type ManifestPlace, manifestPlace, takenBasenames } from './place.js';
export { configOf, type Project, type ProjectFile, readProject, readProjectFile } from './project.js';
export { findManifests } from './search.js';
export { type ChosenBy, chooseEnvironment, selectEnvironment } from './select.js';
export { settingsOf } from './settings.js';
export { type NewText, rewriteFiles, writeFiles } from './write.js';
