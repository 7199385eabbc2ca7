/**
 * Competition file, as written by an organiser:
 *
 *     name: spring
 *     title: Spring kernels
 *     starts_at: 2026-03-01T12:00:00Z
 *     ends_at: 2026-04-01T12:00:00Z
 *     targets: [H100]
 *     problems: [vectoradd, { name: matmul, targets: [H100, B200], ends_at: 2026-03-15T12:00:00Z }]
 */
import { CompetitionSpec } from "./competition.ts";
import { KernelBotError } from "../errors.ts";
import { parseYaml } from "../text/yaml.ts";

/** Keys of the file: those of the spec in snake case, as in `task.yml`. */
const KEYS = Object.keys(CompetitionSpec.shape).map(spelt);

/**
 * Parses the file of a competition.
 * @throws KernelBotError `unprocessable`, with the key and the reason.
 */
export function parseCompetition(text: string): CompetitionSpec {
  let yaml: unknown;
  try {
    yaml = parseYaml(text);
  } catch (error) {
    throw broken(`it is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isMapping(yaml)) throw broken("write keys such as name: spring");
  const unknown = Object.keys(yaml).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw broken(`unknown key ${unknown}; valid keys are ${KEYS.join(", ")}`);
  const parsed = CompetitionSpec.safeParse(inCode(yaml));
  if (parsed.success) return parsed.data;
  throw broken(
    parsed.error.issues
      .map((issue) => {
        const place = issue.path.map((part) => spelt(String(part))).join(".");
        if (issue.code !== "unrecognized_keys") return `${place}: ${issue.message}`;
        return `${place}: unknown key ${issue.keys.map(spelt).join(", ")}`;
      })
      .join("; "),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * Converts keys to camel case: `ends_at` becomes `endsAt`. A key that is camel case in the file is not valid, so it is
 * quoted to be reported as unknown.
 */
function inCode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCode);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [coded(key), inCode(inner)]));
}

function coded(key: string): string {
  return /[A-Z]/.test(key) ? `"${key}"` : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function spelt(key: string): string {
  return key.startsWith('"') ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function broken(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `invalid competition: ${what}`);
}
