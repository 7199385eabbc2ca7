/** A house that listens and shows the showcase, with a session for each kind of visitor. */
import { openDatabase } from "../../db/database.ts";
import { houseAround, type House, type HouseOptions } from "../../http/house.ts";
import { beginSession } from "../../people/sessions.ts";
import { testSigner } from "../signer.ts";
import { PROBLEM_SETS } from "./folders.ts";
import type { Cast } from "./house.ts";
import { LAUNCHERS } from "./launches.ts";
import { fillShowcase, type Showcase } from "./showcase.ts";

/** Servers that pages are shown by: one with the showcase, one on its first day, and one that has lost a table. */
export type World = "full" | "empty" | "broken";

export interface OpenShowcase extends AsyncDisposable {
  house: House;
  /** Where each server is. */
  urls: Record<World, string>;
  showcase: Showcase;
  /** By visitor; a stranger has none. */
  sessions: Record<Exclude<Visitor, "stranger">, string>;
}

/** Who looks at a page. */
export type Visitor = "stranger" | "newcomer" | "participant" | "organiser" | "moderator" | "administrator";

/** The one who looks as a participant. */
export const PARTICIPANT = "jvermeer";

/**
 * Opens the servers.
 * @param newDatabase The address of another empty database.
 */
export async function openShowcase(newDatabase: () => Promise<string>, storeFolder: string): Promise<OpenShowcase> {
  const open = async (problemsFolder: string, options: HouseOptions = {}): Promise<House> => {
    const database = await openDatabase({ url: await hastened(await newDatabase()) });
    return houseAround(database, { problemsFolder, storeFolder }, { listening: true, ...options });
  };
  const house = await open(PROBLEM_SETS, { launchers: LAUNCHERS });
  const empty = await open(storeFolder);
  const broken = await open(storeFolder);
  await broken.database.sql`alter table problem rename to lost`;
  const { database } = house;
  const showcase = await fillShowcase({
    database,
    store: house.store,
    datasets: house.datasets,
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
    house,
    urls: { full: house.url, empty: empty.url, broken: broken.url },
    showcase,
    sessions: {
      newcomer: await session(newcomer),
      participant: await session(by.get(PARTICIPANT) ?? newcomer),
      organiser: await session(organiser),
      moderator: await session(moderator),
      administrator: await session(administrator),
    },
    async [Symbol.asyncDispose]() {
      for (const each of [house, empty, broken]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Lets a database answer before what it stores is on disk, which spares thousands of waits; nobody will miss it. */
async function hastened(url: string): Promise<string> {
  const database = await openDatabase({ url });
  await database.sql`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`;
  await database.close();
  return url;
}
