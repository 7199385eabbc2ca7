/** Words for faults of YAML files, with their lines. */
import type { z } from "zod";
import type { ParsedYaml, YamlDifference } from "./yaml.ts";

/** Describes a fault that a schema has found: the key, what is wrong, and the line. */
export function yamlFault(issue: z.core.$ZodIssue, { lineOf }: ParsedYaml): string {
  const line = lineOf(issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path);
  const key = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  return `${key}${issue.message}${line === null ? "" : ` (line ${line})`}`;
}

/**
 * Whether the value is a number with an exponent and without a point, such as `1e-5`, which is text in YAML 1.1. Authors
 * who write it mean the number.
 */
export function isExponent({ source, yaml11 }: YamlDifference): boolean {
  return yaml11 === source && /^[-+\d.]+e/i.test(source);
}

/** Describes the values of a file that could have been written for YAML 1.1 and mean something else there. */
export function ambiguityFaults({ differences }: ParsedYaml): string[] {
  return differences.filter((one) => !isExponent(one)).map(yamlDifference);
}

/** Describes a difference, and how to write each of its meanings. */
export function yamlDifference({ line, keys, source, yaml11, yaml12 }: YamlDifference): string {
  const [old, own] = [yaml11, yaml12].map((value) => JSON.stringify(value));
  const key = keys.length > 0 ? `${keys.at(-1)}: ` : "";
  return `${key}${source} is ${old} in YAML 1.1 and ${own} in YAML 1.2: write ${old} or ${own} (line ${line})`;
}
