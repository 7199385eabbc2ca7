/** What the parts of the bot work with. */
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import type { Api } from "./api.ts";
import type { DiscordOptions } from "./options.ts";

/** The open rooms that the face is put on. */
export interface Rooms {
  database: Database;
  /** Where the files of profiles lie. */
  store: Pick<ObjectStore, "get">;
  /** The address that people use. */
  publicUrl: string;
  /** The folder of problem sets that this server took its problems from. */
  problemsFolder: string;
  /** As of `withProblemsOf`. */
  archives: string;
  /** Whether this server publishes data to Hugging Face. */
  hasHub: boolean;
}

export interface Bot extends Rooms {
  options: DiscordOptions;
  api: Api;
  clock: () => Date;
  /** Tells Discord which commands there are. */
  register: () => Promise<void>;
  /** Has what is to be said looked after at once. */
  wake: () => void;
}
