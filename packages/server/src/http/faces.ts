/** What the routes need of the rest of the house. */
import type { Logger } from "pino";
import type { Assets } from "@kernelbot/web";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Client, Clients } from "../clients/clients.ts";
import type { Connections } from "../clients/connections.ts";
import type { Database } from "../db/database.ts";
import type { Discord } from "../discord/service.ts";
import type { PullRequestOptions } from "../kernelbench/pull-requests/options.ts";
import type { LauncherConfig } from "../launchers/config.ts";
import type { Health } from "../operations/health.ts";
import type { RunnerPolicy } from "../runners/policy.ts";
import type { EventHub } from "../runs/event-hub.ts";
import type { Signer } from "../runs/signer.ts";
import type { SharedReads } from "./shared-reads.ts";
import type { Site } from "./site.ts";

/** The open rooms that the face is put on. */
export interface Rooms {
  database: Database;
  /** Where artifacts lie. */
  store: ObjectStore;
  /** The folder of the snapshots' files. */
  datasets: string;
  hub: EventHub;
  signer: Signer;
  log: Logger;
  health: Health;
  /** The folder of problem sets that this server took its problems from. */
  problemsFolder: string;
  /** Where an archive of a repository's branch is fetched from: `OWNER/REPOSITORY/tar.gz/refs/heads/BRANCH` below it. */
  archives: string;
  /** How browsers reach the server, and who vouches for people. */
  site: Site;
  /** Counts what clients have open. */
  clients: Clients;
  connections: Connections;
  /** Whether webhooks may lead into private networks, and be sent in the clear. */
  privateWebhooks: boolean;
  /** What is demanded of runners. */
  runners: RunnerPolicy;
  /** The GitHub App that pull requests are evaluated by; undefined where there is none. */
  pullRequests: PullRequestOptions | undefined;
  /** What starts runners where runs wait. */
  launchers: readonly LauncherConfig[];
  /** The bot, for interactions that come over HTTP; undefined where there is none. */
  discord: Discord | undefined;
  /** Aborted when the server stops: long polls and streams end. */
  closing: AbortSignal;
}

export interface Faces extends Rooms {
  assets: Assets;
  reads: SharedReads;
}

export interface HttpEnv {
  Variables: { requestId: string; client: Client };
}
