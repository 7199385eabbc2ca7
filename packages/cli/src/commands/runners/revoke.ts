import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { requireConfirmation } from "../../command/confirmation.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { findRunner } from "../../runners/find-runners.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "runners revoke",
  positionals: ["[RUNNER]"],
  options: {
    token: { type: "string", value: "N", help: "Number of the token; kernelbot runners tokens lists them" },
    yes: { type: "boolean", short: "y", help: "Do not ask for confirmation" },
    ...SERVER_OPTION,
  },
  notes: [
    "Revokes the token that RUNNER joined with, or the one named by --token. All runners that joined with it are " +
      "disconnected, and their runs are requeued. Revoking cannot be undone.",
  ],
  run: async ({ token, yes, server }, runner) => {
    if ((runner === undefined) === (token === undefined)) throw new UsageError("use either RUNNER or --token N");
    const { client } = await connect(server);
    const id =
      token === undefined
        ? (await findRunner(client, runner ?? "")).tokenId
        : positiveInteger(token, "the number of a token");
    const joined = (await client.runners()).filter(({ tokenId, revoked }) => tokenId === id && !revoked);
    const names = joined.length === 0 ? "no runner" : joined.map(({ name }) => JSON.stringify(name)).join(", ");
    if (!yes) await requireConfirmation(`Revoke token ${id}, with which ${names} joined?`, "revoking cannot be undone");
    await client.revokeJoinToken(id);
    terminalOf(process.stdout).print([`Token ${id} is revoked. Disconnected: ${names}.`]);
    return EXIT.passed;
  },
});
