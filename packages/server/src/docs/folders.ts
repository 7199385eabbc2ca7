/** Folders of the documentation. */
import { existsSync, readdirSync } from "node:fs";

/** Root of the repository, or of a program's files, which are laid out as it. */
export const ROOT = new URL("../../../../", import.meta.url);

/** Returns the folders from the root: that of the platform, then those of the optional features that have one. */
export function documentationFolders(): string[] {
  const features = new URL("features/", ROOT);
  // A program without optional features has no such folder.
  const names = existsSync(features) ? readdirSync(features).toSorted() : [];
  const own = names.map((name) => `features/${name}/docs`).filter((folder) => existsSync(new URL(folder, ROOT)));
  return ["docs", ...own];
}
