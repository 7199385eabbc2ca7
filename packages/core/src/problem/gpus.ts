/** Targets of a problem that are named in another file than its `task.yml`. */
import { parseDocument } from "yaml";
import { MAX_YAML_LENGTH } from "../text/yaml.ts";

/**
 * Returns `task.yml` with its `gpus` replaced, so that a problem is complete in itself, whichever file named its
 * targets.
 */
export function withGpus(text: string, gpus: readonly string[]): string {
  // A text that is too long or invalid is returned as it is; reading it reports the error.
  if (text.length > MAX_YAML_LENGTH) return text;
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0 || JSON.stringify(document.get("gpus")) === JSON.stringify(gpus)) return text;
  if (!document.has("gpus")) return `${text.replace(/\n*$/, "\n")}gpus: ${JSON.stringify(gpus)}\n`;
  document.set("gpus", gpus);
  return document.toString();
}
