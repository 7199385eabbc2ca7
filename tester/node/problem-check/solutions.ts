/** Examples of a problem. The first line of each declares its expected outcome: `# expect: VERDICT [in MODE]`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  FailureClass,
  languageOf,
  RunMode,
  type Language,
  type ProblemFinding,
  type ProblemSpec,
} from "@kernelbot/core";
import { z } from "zod";
import { error, warning } from "./finding.ts";

export interface Example {
  /** Path of the example: `solutions/fast_out.py`. */
  name: string;
  source: string;
  language: Language;
  /** Expected outcome: `passed`, or the class of the failure. */
  expected: string;
  mode: RunMode;
}

const Outcome = z.union([z.literal("passed"), FailureClass]);

/** Reads the examples of a directory, with findings for those that are invalid. */
export async function readExamples(directory: string): Promise<{ examples: Example[]; findings: ProblemFinding[] }> {
  const folder = join(directory, "solutions");
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const examples: Example[] = [];
  const findings: ProblemFinding[] = [];
  for (const file of entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted()) {
    const name = `solutions/${file}`;
    const source = await readFile(join(folder, file), "utf8");
    const language = languageOf(file);
    const declared = /^(?:#|\/\/) expect: (?<outcome>\w+)(?: in (?<mode>\w+))?\n/.exec(source)?.groups;
    const expected = Outcome.safeParse(declared?.["outcome"]);
    const mode = RunMode.safeParse(declared?.["mode"] ?? "test");
    if (language === null) findings.push(error("examples", name, "its language is unknown", "Name it *.py or *.cpp"));
    else if (!expected.success || !mode.success)
      findings.push(
        error(
          "examples",
          name,
          "its first line does not declare its expected result",
          "Start with `# expect: passed`, or the class of the failure",
        ),
      );
    else examples.push({ name, source, language, expected: expected.data, mode: mode.data });
  }
  return { examples, findings };
}

/** Checks that there are enough honest and incorrect examples. */
export function exampleCounts(spec: ProblemSpec, examples: readonly Example[]): ProblemFinding[] {
  if (spec.harness === "legacy") return [];
  const count = (kind: string, language?: Language): number =>
    examples.filter(
      (example) => example.name.startsWith(`solutions/${kind}_`) && (language ?? example.language) === example.language,
    ).length;
  const findings: ProblemFinding[] = [];
  if (count("fast") < 1)
    findings.push(
      error(
        "examples",
        "solutions/",
        "no fast_* example",
        "Write a correct one that is faster than the reference on cpu",
      ),
    );
  if (count("wrong") < 2)
    findings.push(
      error(
        "examples",
        "solutions/",
        `${count("wrong")} wrong_* examples, at least 2 required`,
        "Write two mistakes that a participant could make",
      ),
    );
  if (spec.languages.cpp !== undefined && (count("fast", "cpp") < 1 || count("wrong", "cpp") < 1))
    findings.push(
      warning(
        "examples",
        "solutions/",
        "C++ is allowed, but fast_*.cpp or wrong_*.cpp is missing",
        "Write one of each",
      ),
    );
  for (const { name, expected } of examples) {
    if (name.startsWith("solutions/fast_") && expected !== "passed")
      findings.push(error("examples", name, `a fast example must pass, and this one expects ${expected}`, "Rename it"));
    if (name.startsWith("solutions/wrong_") && expected === "passed")
      findings.push(error("examples", name, "a wrong example must fail, and this one expects to pass", "Rename it"));
  }
  return findings;
}
