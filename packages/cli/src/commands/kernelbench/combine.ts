import {
  BACKENDS,
  checkEntry,
  combineRuns,
  KernelBenchEntryMetadata,
  MAX_ENTRY_BYTES,
  type KernelBenchEntryFault,
} from "@kernelbot/core";
import type { z } from "zod";
import { defineCommand, JSON_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { writeWhole } from "../../kernelbench/files.ts";
import { readRuns } from "../../kernelbench/kernel-folders.ts";
import { namedSuite, SUITE_NOTE, SUITE_OPTIONS } from "../../kernelbench/suite-problems.ts";
import { checkLines } from "../../render/entry-check.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench combine",
  positionals: ["RUNS..."],
  options: {
    "display-name": { type: "string", value: "NAME", help: "Name of the model as displayed (required)" },
    name: { type: "string", value: "NAME", help: "Name of the run: letters, digits, _, - and ." },
    organization: { type: "string", value: "NAME", help: "Organisation that made the model" },
    notes: { type: "string", value: "TEXT", help: "Notes for readers of the results" },
    backend: { type: "string", choices: BACKENDS, help: "Language of the kernels" },
    out: { type: "string", short: "o", value: "FILE", help: "File to write (required)" },
    ...SUITE_OPTIONS,
    ...JSON_OPTION,
  },
  notes: [
    "Reads files such as level_1_problem_19_sample_0_kernel.py from the folders RUNS and their subfolders: the output of " +
      "kernelbot kernelbench generate, or a folder for each level, such as runs/model_level1 runs/model_level2.",
    SUITE_NOTE,
    "A bad answer of a model is reported and counts as not compiled. If the files have errors, lists all of them, writes nothing " +
      "and exits with 1.",
  ],
  run: async (values, folders) => {
    const { out, json } = values;
    if (out === undefined) throw new UsageError("--out FILE is required");
    const metadata = metadataOf(values);
    const suite = await namedSuite(values);
    const runs = await readRuns(folders);
    const { file, faults } = combineRuns(runs.files, metadata);
    const tooLarge = sizeFaults(JSON.stringify(file, null, 2));
    const { check, file: checked } = checkEntry(file, suite, [...runs.faults, ...faults, ...tooLarge]);
    const { print, width, style } = terminalOf(process.stdout);
    if (checked !== null) {
      // Kernels outside of the suite stay in the file: it may be meant for another suite.
      const kernels = { ...file.kernels, ...checked.kernels };
      await writeWhole(out, `${JSON.stringify({ ...file, kernels }, null, 2)}\n`);
    }
    if (json) process.stdout.write(`${jsonDocument(check)}\n`);
    else print([...checkLines(sanitize(check), width, style), ...(check.ok ? [`Wrote ${out}.`] : [])]);
    return check.ok ? EXIT.passed : EXIT.failed;
  },
});

function metadataOf(values: {
  "display-name": string | undefined;
  name: string | undefined;
  organization: string | undefined;
  notes: string | undefined;
  backend: KernelBenchEntryMetadata["backend"];
}): z.input<typeof KernelBenchEntryMetadata> {
  const { "display-name": displayName, name, organization, notes, backend } = values;
  if (displayName === undefined) throw new UsageError("--display-name NAME is required");
  const metadata = KernelBenchEntryMetadata.safeParse({
    display_name: displayName,
    organization,
    run_name: name,
    notes,
    backend,
  });
  if (metadata.success) return metadata.data;
  const [issue] = metadata.error.issues;
  throw new UsageError(`--${OPTION_OF[String(issue?.path[0])] ?? "notes"}: ${issue?.message ?? "invalid"}`);
}

const OPTION_OF: Record<string, string> = {
  display_name: "display-name",
  run_name: "name",
  organization: "organization",
};

function sizeFaults(text: string): KernelBenchEntryFault[] {
  if (Buffer.byteLength(text) <= MAX_ENTRY_BYTES) return [];
  return [{ key: null, severity: "error", what: `the file is larger than ${MAX_ENTRY_BYTES / 1e6} MB` }];
}
