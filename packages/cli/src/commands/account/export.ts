import { open, rm } from "node:fs/promises";
import { KernelBotError, formatBytes, quote } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "account export",
  positionals: [],
  options: {
    out: { type: "string", short: "o", value: "FILE", help: "New ZIP file for the export (required)" },
    account: { type: "string", value: "NAME", help: "Account of someone else, on their request; for administrators" },
    ...SERVER_OPTION,
  },
  notes: [
    "The ZIP file has a file of JSON lines for each table of the server's database, the sources of your submissions and the " +
      "files of your runs. Its README.txt describes them. Secrets and data that identifies other people are left out.",
  ],
  run: async ({ out, account, server }) => {
    if (out === undefined) throw new UsageError("--out FILE is required");
    const { client } = await connect(server);
    const bytes = client.personalData.export(account);
    // Before the first byte, so that a refused request creates no file.
    const first = await bytes.next();
    const file = await open(out, "wx", 0o600).catch(async (error: unknown) => {
      // Otherwise the process waits for the rest of the response.
      await bytes.return(undefined);
      const why = error instanceof Error ? error.message : String(error);
      throw new KernelBotError("conflict", `${quote(out)} cannot be created: ${why}`);
    });
    let size = 0;
    try {
      for (let part = first; part.done !== true; part = await bytes.next()) {
        await file.write(part.value);
        size += part.value.length;
      }
    } catch (error) {
      await rm(out, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    terminalOf(process.stdout).print([`Wrote ${out} (${formatBytes(size)})`]);
    return EXIT.passed;
  },
});
