import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { connect } from "../../config/config.ts";
import { sanitize } from "../../output/text.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "problems delete-upload",
  positionals: ["PROBLEM"],
  options: { ...SERVER_OPTION },
  notes: [
    "PROBLEM is sha256:HASH, as kernelbot problems uploads lists it. A problem with queued or running evaluations is not " +
      "deleted. Results of evaluations stay, and the directory can be uploaded again.",
  ],
  run: async ({ server }, problem) => {
    const { client } = await connect(server);
    await client.evaluations.deleteUploadedProblem(problem);
    terminalOf(process.stdout).print([`Problem ${sanitize(problem)} is deleted.`]);
    return EXIT.passed;
  },
});
