export { publishBranch, type HubFile, type HubProgress } from "./branch.ts";
export { readHubOptions, type HubOptions } from "./options.ts";
export { PublicationError } from "./publication-error.ts";
