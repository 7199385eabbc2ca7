/** Files of the old form, `task.yml` with a harness of the problem's own: they were written for PyYAML, which reads YAML 1.1. */
import { z } from "zod";
import { readYaml, type ParsedYaml, type YamlDifference } from "../text/yaml.ts";
import { isExponent, yamlDifference } from "../text/yaml-faults.ts";

/** Value of `source` that marks the submission. */
export const SUBMISSION = "@SUBMISSION@";

const OldForm = z.object({
  config: z.object({ main: z.unknown().optional() }).nullish().catch(null),
  files: z
    .array(z.object({ source: z.unknown() }))
    .nullish()
    .catch(null),
});

/** Whether a parsed `task.yml` names a harness. */
export function isOldForm(yaml: unknown): boolean {
  const { data } = OldForm.safeParse(yaml);
  return data?.config?.main !== undefined || data?.files?.some(({ source }) => source === SUBMISSION) === true;
}

/** Keys whose values a harness reads. */
const OF_HARNESS = ["tests", "benchmarks", "config"];

/**
 * Returns the values of a file of the old form that are read as YAML 1.1 and mean something else in YAML 1.2. A number with
 * an exponent, such as `rtol: 1e-5`, is text only where the harness reads it: our own keys never take a number as text.
 */
export function oldDifferences({ differences }: ParsedYaml): YamlDifference[] {
  return differences.filter((one) => !isExponent(one) || one.keys.some((key) => OF_HARNESS.includes(key)));
}

/** Describes those values of a valid `task.yml`; none where it is not of the old form. */
export function oldMeanings(text: string): string[] {
  const yaml = readYaml(text);
  return isOldForm(yaml.value) ? oldDifferences(yaml).map(yamlDifference) : [];
}
