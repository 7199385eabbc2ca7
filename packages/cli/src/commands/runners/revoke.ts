import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { confirmed } from "../../command/confirmation.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { runnerNamed } from "../../runners/find-runners.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "runners revoke",
  about: "Ends the token that a runner joined with, and with it every runner that did. What they run goes to others.",
  positionals: ["[RUNNER]"],
  options: {
    token: { type: "string", value: "N", help: "The number of a token instead, as kernelbot runners tokens lists it" },
    yes: { type: "boolean", short: "y", help: "Do not ask; it cannot be undone" },
    ...SERVER_OPTION,
  },
  run: async ({ token, yes, server }, word) => {
    if ((word === undefined) === (token === undefined)) throw new UsageError("name a runner, or a token by --token N");
    const { client } = await connect(server);
    const id =
      token === undefined
        ? (await runnerNamed(client, word ?? "")).tokenId
        : positiveInteger(token, "a token's number");
    const joined = (await client.runners()).filter(({ tokenId, revoked }) => tokenId === id && !revoked);
    const names = joined.length === 0 ? "no runner" : joined.map(({ name }) => JSON.stringify(name)).join(", ");
    if (!yes) await confirmed(`End token ${id}, with which ${names} joined?`, "revoking cannot be undone");
    await client.revokeJoinToken(id);
    terminalOf(process.stdout).print([`Token ${id} is revoked; with it joined ${names}.`]);
    return EXIT.passed;
  },
});
