/** The devices of a problem, where another file than its `task.yml` names them. */
import { parseDocument } from "yaml";
import { MAX_YAML_LENGTH } from "./yaml.ts";

/** The same `task.yml` with these devices, so that a problem says all of itself, whatever file named them. */
export function withGpus(text: string, gpus: readonly string[]): string {
  // What is wrong with it is reported when it is read.
  if (text.length > MAX_YAML_LENGTH) return text;
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0 || JSON.stringify(document.get("gpus")) === JSON.stringify(gpus)) return text;
  if (!document.has("gpus")) return `${text.replace(/\n*$/, "\n")}gpus: ${JSON.stringify(gpus)}\n`;
  document.set("gpus", gpus);
  return document.toString();
}
