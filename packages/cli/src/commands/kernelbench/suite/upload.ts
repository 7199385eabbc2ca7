import { SuiteUpload } from "@kernelbot/core";
import { z } from "zod";
import { defineRequest } from "../../../request/request.ts";
import { UsageError } from "../../../command/exit.ts";
import { parsedJson, readBounded } from "../../../kernelbench/files.ts";
import { suiteLines } from "../../../render/suites.ts";

/** Maximum size of a suite file in bytes: enough for a thousand problems of typical size. */
const MAX_SUITE_BYTES = 32_000_000;

export const command = defineRequest({
  name: "kernelbench suite upload",
  positionals: ["FILE"],
  notes: [
    "FILE is the output of kernelbot kernelbench suite inspect. Creates a suite, or a new version if it changed.",
  ],
  request: async ({ client }, _, file) => {
    const upload = SuiteUpload.safeParse(parsedJson(await readBounded(file, MAX_SUITE_BYTES)));
    if (upload.success) return client.kernelbench.putSuite(upload.data);
    throw new UsageError(`${JSON.stringify(file)} is not a suite file: ${z.prettifyError(upload.error)}`);
  },
  lines: (suite, { width, style }) => suiteLines(suite, width, style),
});
