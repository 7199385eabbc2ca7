/** The devices of a problem, where another file than its `task.yml` names them. */
import { parseDocument } from "yaml";

/** The same `task.yml` with these devices, so that a problem says all of itself, whatever file named them. */
export function withGpus(text: string, gpus: readonly string[]): string {
  const document = parseDocument(text);
  // What is wrong with it is told when it is read.
  if (document.errors.length > 0 || JSON.stringify(document.get("gpus")) === JSON.stringify(gpus)) return text;
  if (!document.has("gpus")) return `${text.replace(/\n*$/, "\n")}gpus: ${JSON.stringify(gpus)}\n`;
  document.set("gpus", gpus);
  return document.toString();
}
