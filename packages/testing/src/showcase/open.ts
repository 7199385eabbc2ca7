/** Starts listening servers that show the showcase, with a session for each kind of visitor. */
import { openDatabase } from "@kernelbot/server/src/db/database.ts";
import { openServerWith, type TestServer, type TestServerOptions } from "../server.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { testSigner } from "../signer.ts";
import type { Visitor, World } from "./example.ts";
import { PROBLEM_SETS } from "./folders.ts";
import type { Cast } from "./server.ts";
import { LAUNCHERS } from "./launches.ts";
import { readProviders } from "@kernelbot/server/src/auth/providers.ts";
import { fillShowcase, SHOWCASE_MAILER, type Showcase } from "./showcase.ts";

export interface OpenShowcase extends AsyncDisposable {
  testServer: TestServer;
  /** URL of each server. */
  urls: Record<World, string>;
  showcase: Showcase;
  /** Session cookies by visitor; `stranger` has none. */
  sessions: Record<Exclude<Visitor, "stranger">, string>;
}

const SITE = {
  providers: readProviders({ KERNELBOT_GITHUB_CLIENT_ID: "showcase", KERNELBOT_GITHUB_CLIENT_SECRET: "showcase" }),
  mailer: SHOWCASE_MAILER,
} satisfies TestServerOptions["site"];

/** Account of the visitor `participant`. */
export const PARTICIPANT = "jvermeer";

/**
 * Starts the servers.
 * @param newDatabase Returns the URL of a new, empty database.
 */
export async function openShowcase(newDatabase: () => Promise<string>, storeFolder: string): Promise<OpenShowcase> {
  const open = async (problemsFolder: string, options: TestServerOptions = {}): Promise<TestServer> => {
    const database = await openDatabase({ url: await withoutSyncCommit(await newDatabase()) });
    return openServerWith(database, { problemsFolder, storeFolder }, { listening: true, ...options });
  };
  const testServer = await open(PROBLEM_SETS, { launchers: LAUNCHERS, site: SITE });
  const empty = await open(storeFolder);
  const broken = await open(storeFolder);
  await broken.database.sql`alter table problem rename to lost`;
  const { database } = testServer;
  const showcase = await fillShowcase({
    database,
    store: testServer.store,
    datasets: testServer.datasets,
    signer: await testSigner(database),
  });
  const { cast } = showcase;
  const session = ({ account }: Cast["newcomer"]): Promise<string> =>
    database.db
      .transaction()
      .execute((transaction) =>
        beginSession(transaction, account.id, { address: "203.0.113.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64)" }),
      );
  const { newcomer, organiser, moderator, administrator, by } = cast;
  return {
    testServer,
    urls: { full: testServer.url, empty: empty.url, broken: broken.url },
    showcase,
    sessions: {
      newcomer: await session(newcomer),
      participant: await session(by.get(PARTICIPANT) ?? newcomer),
      organiser: await session(organiser),
      moderator: await session(moderator),
      administrator: await session(administrator),
    },
    async [Symbol.asyncDispose]() {
      for (const each of [testServer, empty, broken]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Disables synchronous commits, which saves thousands of waits for the disk; the data is temporary. */
async function withoutSyncCommit(url: string): Promise<string> {
  const database = await openDatabase({ url });
  await database.sql`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`;
  await database.close();
  return url;
}
