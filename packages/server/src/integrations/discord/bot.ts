/** Shared context of the parts of the bot. */
import type { ObjectStore } from "../../artifacts/store.ts";
import type { Database } from "../../db/database.ts";
import type { Api } from "./api.ts";
import type { DiscordOptions } from "./options.ts";

/** Services of the server that the bot uses. */
export interface DiscordResources {
  database: Database;
  /** Store of the profile artifacts. */
  store: Pick<ObjectStore, "get">;
  /** Public base URL of the server. */
  publicUrl: string;
  /** Folder of the problem sets from which this server loaded its problems. */
  problemsFolder: string;
  /** Base URL of repository archives, such as `https://codeload.github.com`. */
  archives: string;
  /** Whether this server publishes data to Hugging Face. */
  hasHub: boolean;
}

export interface Bot extends DiscordResources {
  options: DiscordOptions;
  api: Api;
  clock: () => Date;
  /** Registers the commands with Discord. */
  register: () => Promise<void>;
  /** Starts work on pending rows immediately. */
  wake: () => void;
}
