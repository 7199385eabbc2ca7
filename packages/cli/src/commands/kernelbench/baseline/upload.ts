import { BaselineFile, baselineTimes, BaselineUpload } from "@kernelbot/core";
import { defineRequest } from "../../../request/request.ts";
import { UsageError } from "../../../command/exit.ts";
import { parsedJson, readBounded } from "../../../kernelbench/files.ts";
import { formatCount } from "../../../output/text.ts";

const MAX_BASELINE_BYTES = 8_000_000;

export const command = defineRequest({
  name: "kernelbench baseline upload",
  positionals: ["FILE"],
  options: {
    id: { type: "string", value: "ID", help: "Id of the baseline, for --baseline stored:ID (required)" },
    hardware: {
      type: "string",
      value: "NAME",
      help: "Device it was measured on, such as NVIDIA H100 80GB HBM3 (required)",
    },
    kind: { type: "string", choices: ["eager", "compiled"], help: "How the models were run (required)" },
  },
  notes: [
    "Stores the measured times of a suite's models permanently. For organisers.",
    'FILE is JSON with mean times in milliseconds: {"level1": {"19_ReLU.py": {"mean": 0.04}}}.',
  ],
  request: async ({ client }, { id, hardware, kind }, path) => {
    const file = BaselineFile.safeParse(parsedJson(await readBounded(path, MAX_BASELINE_BYTES)));
    if (!file.success)
      throw new UsageError(
        `${JSON.stringify(path)} is not a baseline file; see kernelbot kernelbench baseline upload --help`,
      );
    const upload = BaselineUpload.safeParse({ id, hardware, kind, file: file.data });
    if (!upload.success) {
      const [issue] = upload.error.issues;
      throw new UsageError(`--${String(issue?.path[0])}: ${issue?.message ?? "invalid"}`);
    }
    const { skipped } = baselineTimes(file.data);
    return { ...(await client.kernelbench.putBaseline(upload.data)), skipped };
  },
  lines: ({ id, times, skipped }) => {
    const without =
      skipped.length === 0 ? "" : `; ${formatCount(skipped.length, "member")} of the file without a time skipped`;
    return [`Baseline ${id} has the times of ${formatCount(times.length, "problem")}${without}.`];
  },
});
