/** Targets of a problem that are named elsewhere than in its `task.yml`. */
import { isMap, parseDocument } from "yaml";
import { MAX_YAML_LENGTH } from "../text/yaml.ts";

export interface OtherTargets {
  /** Targets in the competition file that lists the directory, which replace `gpus` of `task.yml`; null for none. */
  listed: readonly string[] | null;
  /** Target that the caller names, such as by `--target`, for a problem for which no file names one; null for none. */
  requested: string | null;
}

export const NO_OTHER_TARGETS: OtherTargets = { listed: null, requested: null };

/**
 * Returns `task.yml` with its `gpus` replaced by targets that are named elsewhere, so that a problem is complete in
 * itself. A text that is too long or invalid is returned unchanged; reading it reports the error.
 */
export function withGpus(text: string, { listed, requested }: OtherTargets): string {
  if (text.length > MAX_YAML_LENGTH || (listed === null && requested === null)) return text;
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0) return text;
  const isEmpty = (key: string): boolean => ["[]", "{}", "null", undefined].includes(JSON.stringify(document.get(key)));
  const gpus = listed ?? (isEmpty("gpus") && isEmpty("targets") ? [requested] : null);
  if (gpus === null || JSON.stringify(document.get("gpus")) === JSON.stringify(gpus)) return text;
  // Appending a line leaves the rest of the text as it is, but not within braces.
  const isBlock = !isMap(document.contents) || document.contents.flow !== true;
  if (isBlock && !document.has("gpus")) return `${text.replace(/\n*$/, "\n")}gpus: ${JSON.stringify(gpus)}\n`;
  document.set("gpus", gpus);
  return document.toString();
}
