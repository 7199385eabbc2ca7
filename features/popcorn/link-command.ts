import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defineCommand, SERVER_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { connect } from "@kernelbot/cli/src/config/config.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { sanitize } from "@kernelbot/cli/src/output/text.ts";

export const command = defineCommand({
  name: "link-popcorn",
  positionals: [],
  options: {
    home: { type: "string", value: "DIR", help: "Write DIR/.popcorn.yaml; run the client with HOME=DIR" },
    ...SERVER_OPTION,
  },
  notes: [
    "Prints the commands that configure the popcorn client. The token has the scopes submit and read; kernelbot tokens " +
      "lists and revokes it.",
  ],
  run: async ({ home, server: option }) => {
    const { server, client } = await connect(option);
    await requirePopcorn(server);
    const made = await client.createToken({ label: "popcorn client", scopes: ["submit", "read"] });
    const line = `cli_id: ${sanitize(made.token)}`;
    const { print } = terminalOf(process.stdout);
    print([`export POPCORN_API_URL=${server}`]);
    if (home === undefined) print([`echo '${line}' > ~/.popcorn.yaml`]);
    else terminalOf(process.stderr).print([`Stored in ${await store(resolve(home), line)}`]);
    return EXIT.passed;
  },
});

/** @throws UsageError when the server has no routes for the client, which would then fail with every command. */
async function requirePopcorn(server: string): Promise<void> {
  // A server that does not respond is reported by the next request.
  const response = await fetch(`${server}/leaderboards`).catch(() => undefined);
  if (response?.status === 404)
    throw new UsageError(`${server} does not serve the popcorn client; nothing was created`);
}

/** Writes the client's file atomically and readable only by this user (0600). */
async function store(home: string, line: string): Promise<string> {
  const path = join(home, ".popcorn.yaml");
  const draft = `${path}.${process.pid}`;
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(draft, `${line}\n`, { mode: 0o600 });
  await rename(draft, path);
  return path;
}
