/** What `kernelbot-server serve` prints when it has started: how the operator signs in, and how to create a token. */
import { isLoopback } from "./auth/loopback.ts";
import { createOperatorLink } from "./auth/operator.ts";
import type { ServeOptions } from "./config.ts";
import { writerObstacle } from "./dataset/snapshots.ts";
import type { Database } from "./db/database.ts";

interface Started {
  /** Whether this start created the operator's account. */
  createdOperator: boolean;
  /** URL that reaches the server from this machine. */
  url: string;
  /** Whether a supervisor passed the socket, so that `--host` does not tell where the server listens. */
  hasInheritedSocket: boolean;
}

/**
 * Returns the text to print.
 *
 * The output of a process often ends up in a log that more people can read than the data directory. A link to the
 * administrator's account is therefore printed only
 *
 * - at the first start, because no one could sign in otherwise;
 * - at later starts of a server that only this machine can reach: it listens on loopback, and no public URL, proxy or
 *   supervisor's socket says that others reach it too.
 *
 * The link works once and for one hour, so that an old log opens nothing. A token, which would stay valid, is never
 * printed; who may read the data directory creates one with `kernelbot-server token`.
 */
export async function welcomeText(
  database: Database,
  options: Pick<ServeOptions, "host" | "publicUrl" | "proxies" | "data" | "localRunner" | "launchers">,
  { createdOperator, url, hasInheritedSocket }: Started,
  obstacle: string | null = writerObstacle(),
): Promise<string> {
  const { host, publicUrl, proxies, data } = options;
  const isPrivate = isLoopback(host) && publicUrl === undefined && proxies === 0 && !hasInheritedSocket;
  const secret = createdOperator || isPrivate ? await createOperatorLink(database) : null;
  const dataOption = data === undefined ? "" : ` --data ${/^[\w./-]+$/.test(data) ? data : JSON.stringify(data)}`;
  return `${createdOperator ? 'Created the account "operator", which is an administrator.\n\n' : ""}${
    secret === null
      ? ""
      : `Open this link to sign in as "operator". It works once, within an hour:

    ${publicUrl ?? url}/sign-in/link?token=${secret}

`
  }For a terminal, create a token:

    export KERNELBOT_TOKEN=$(kernelbot-server token --label terminal --scopes submit,read,account,admin${dataOption})
${(await lacksRunner(database, options)) ? NO_RUNNER : ""}${
    obstacle === null
      ? ""
      : `
This server cannot export datasets of competitions: ${obstacle}.
`
  }`;
}

const NO_RUNNER = `
No runner has connected yet, so submissions stay queued. To judge on this machine, start the server with --local-runner cpu;
for another machine, create a token with kernelbot runners add TARGET.
`;

/** Returns whether no runner has connected before, and the server starts none. */
async function lacksRunner(
  { db }: Database,
  { localRunner, launchers }: Pick<ServeOptions, "localRunner" | "launchers">,
): Promise<boolean> {
  if (localRunner.length + launchers.length > 0) return false;
  return (await db.selectFrom("runner").select("id").limit(1).executeTakeFirst()) === undefined;
}
