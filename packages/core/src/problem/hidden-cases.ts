/**
 * Hidden cases of an application: they are in a file of their own, which only the judge reads. Everything else that
 * shows a problem shows `publicProblem`.
 */
import { z } from "zod";
import { HIDDEN_CASE } from "../vocabulary/case-line.ts";
import { invalidProblem } from "./error.ts";
import { Case, type Problem } from "../vocabulary/specification.ts";
import { readYaml, type ParsedYaml } from "../text/yaml.ts";
import { ambiguityFaults, yamlFault } from "../text/yaml-faults.ts";

/** Name of the file in the directory of a problem. */
export const HIDDEN_CASES_FILE = "hidden_cases.yml";

/** The descriptions are the reference of `hidden_cases.yml`. */
export const HiddenCasesFile = z.strictObject({
  salt: z
    .string("write a random text in quotes, such as the output of openssl rand -hex 16")
    .min(32, "use at least 32 random characters, such as the output of openssl rand -hex 16")
    .describe(
      "At least 32 random characters, such as the output of `openssl rand -hex 16`. The hash of a problem, which is public, contains this file: without a salt, participants could try sizes until the hash fits.",
    ),
  cases: z.array(Case).min(1).describe("Keyword arguments of `run` in `application.py`, as in `application.cases`."),
});

/**
 * Parses `hidden_cases.yml`.
 * @throws KernelBotError `unprocessable`, with the problem and the key.
 */
export function parseHiddenCases(name: string, text: string): Case[] {
  let yaml: ParsedYaml;
  try {
    yaml = readYaml(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidProblem(name, `${HIDDEN_CASES_FILE} is not YAML: ${reason}`);
  }
  const faults = ambiguityFaults(yaml);
  const parsed = HiddenCasesFile.safeParse(yaml.value);
  if (parsed.success && faults.length === 0) return parsed.data.cases;
  faults.push(...(parsed.error?.issues ?? []).map((issue) => yamlFault(issue, yaml)));
  throw invalidProblem(name, faults.map((fault) => `${HIDDEN_CASES_FILE}: ${fault}`).join("; "));
}

/** Whether the reported parameters of a case of stage `application` are those of a hidden case. */
export function isHiddenCase(reported: Case): boolean {
  return HIDDEN_CASE in reported;
}

/** Returns the parameters that stand for a hidden case. @param number Its number, from 1. */
export function hiddenCase(number: number): Case {
  return { [HIDDEN_CASE]: number };
}

/** Returns what participants may read of a problem: its hidden cases are replaced by their numbers. */
export function publicProblem(problem: Problem): Problem {
  const { application } = problem.spec;
  if (application?.hiddenCases === undefined) return problem;
  const hiddenCases = application.hiddenCases.map((_, index) => hiddenCase(index + 1));
  const { [HIDDEN_CASES_FILE]: _, ...files } = problem.files;
  return { spec: { ...problem.spec, application: { ...application, hiddenCases } }, files };
}
