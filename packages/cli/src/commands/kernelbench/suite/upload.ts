import { SuiteUpload } from "@kernelbot/core";
import { z } from "zod";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../../command/command.ts";
import { connect } from "../../../config/config.ts";
import { EXIT, UsageError } from "../../../command/exit.ts";
import { parsedJson, readBounded } from "../../../kernelbench/files.ts";
import { suiteLines } from "../../../render/suites.ts";
import { terminalOf } from "../../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../../output/text.ts";

/** Maximum size of a suite file in bytes: enough for a thousand problems of typical size. */
const MAX_SUITE_BYTES = 32_000_000;

export const command = defineCommand({
  name: "kernelbench suite upload",
  positionals: ["FILE"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "FILE is the output of kernelbot kernelbench suite inspect. Creates a suite, or a new version if it changed.",
  ],
  run: async ({ json, server }, file) => {
    const upload = SuiteUpload.safeParse(parsedJson(await readBounded(file, MAX_SUITE_BYTES)));
    if (!upload.success) {
      throw new UsageError(`${JSON.stringify(file)} is not a suite file: ${z.prettifyError(upload.error)}`);
    }
    const { client } = await connect(server);
    const suite = await client.kernelbench.putSuite(upload.data);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(suite)}\n`);
    else print(suiteLines(sanitize(suite), width, style));
    return EXIT.passed;
  },
});
