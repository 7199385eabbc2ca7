/** A house that listens and shows the showcase, with a session for each kind of visitor. */
import { openDatabase } from "../../db/database.ts";
import { houseAround, type House } from "../../http/house.ts";
import { beginSession } from "../../people/sessions.ts";
import { testSigner } from "../signer.ts";
import { PROBLEM_SETS } from "./folders.ts";
import type { Cast } from "./house.ts";
import { fillShowcase, type Showcase } from "./showcase.ts";

export interface OpenShowcase extends AsyncDisposable {
  house: House;
  showcase: Showcase;
  /** By visitor; a stranger has none. */
  sessions: Record<Exclude<Visitor, "stranger">, string>;
}

/** Who looks at a page. */
export type Visitor = "stranger" | "newcomer" | "participant" | "organiser" | "moderator" | "administrator";

/** The one who looks as a participant. */
export const PARTICIPANT = "jvermeer";

/** Fills the empty database at this address. */
export async function openShowcase(url: string, storeFolder: string): Promise<OpenShowcase> {
  await hasten(url);
  const database = await openDatabase({ url });
  const house = await houseAround(database, { problemsFolder: PROBLEM_SETS, storeFolder }, { listening: true });
  const showcase = await fillShowcase({ database, store: house.store, signer: await testSigner(database) });
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
    showcase,
    sessions: {
      newcomer: await session(newcomer),
      participant: await session(by.get(PARTICIPANT) ?? newcomer),
      organiser: await session(organiser),
      moderator: await session(moderator),
      administrator: await session(administrator),
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

/** Lets the database answer before what it stores is on disk, which spares thousands of waits; nobody will miss it. */
async function hasten(url: string): Promise<void> {
  const database = await openDatabase({ url });
  await database.sql`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`;
  await database.close();
}
