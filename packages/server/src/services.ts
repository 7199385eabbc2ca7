/** Dependencies of the HTTP routes. */
import type { Logger } from "pino";
import type { Assets } from "@kernelbot/web";
import type { ObjectStore } from "./artifacts/store.ts";
import type { Client, Clients } from "./http/clients/clients.ts";
import type { Connections } from "./http/clients/connections.ts";
import type { Database } from "./db/database.ts";
import type { PersonalTable } from "./db/personal-tables.ts";
import type { Discord } from "./integrations/discord/service.ts";
import type { LauncherConfig } from "./integrations/launchers/config.ts";
import type { Extensions } from "./extensions.ts";
import type { FeatureOptions } from "./feature-options.ts";
import type { EvaluationLimits } from "./evaluations/limits.ts";
import type { Health } from "./operations/health.ts";
import type { RunnerPolicy } from "./runners/policy.ts";
import type { EventHub } from "./live/event-hub.ts";
import type { Signer } from "./runs/signer.ts";
import type { SharedReads } from "./live/routes/shared-reads.ts";
import type { Pictures } from "./http/pictures.ts";
import type { Site } from "./http/site.ts";

/** What is opened before anything else. */
export interface OpenResources {
  database: Database;
  /** Store of the artifacts. */
  store: ObjectStore;
  signer: Signer;
  log: Logger;
  /** What the tables of all features store about a person. */
  personalTables: readonly PersonalTable[];
}

/** Open resources and settings from which the app is created. */
export interface AppResources extends OpenResources {
  /** Folder of the snapshots' files. */
  datasets: string;
  /** Folder of the programs that the server offers for installation. */
  downloads: string;
  hub: EventHub;
  health: Health;
  /** Folder of problem sets that this server loads its problems from. */
  problemsFolder: string;
  /** Base URL of repository archives; `OWNER/REPOSITORY/tar.gz/refs/heads/BRANCH` is appended to it. */
  archives: string;
  /** Public address of the server, its proxies, and the sign-in providers. */
  site: Site;
  /** Counters of what each client has open. */
  clients: Clients;
  connections: Connections;
  evaluationLimits: EvaluationLimits;
  /** Options of the optional features. */
  options: FeatureOptions;
  /** Whether webhooks may use private networks and plain http. */
  privateWebhooks: boolean;
  /** Requirements on runners. */
  runners: RunnerPolicy;
  /** Launchers that start runners when runs are queued. */
  launchers: readonly LauncherConfig[];
  /** The bot, for interactions over HTTP; undefined where none is configured. */
  discord: Discord | undefined;
  /** Aborted when the server stops; ends long polls and streams. */
  closing: AbortSignal;
}

export interface Services extends AppResources {
  assets: Assets;
  /** Pictures of shared links. */
  pictures: Pictures;
  reads: SharedReads;
  /** What the features add to pages of others, in the order of the features. */
  features: readonly Partial<Extensions>[];
  /** Names of the optional features that are switched off. */
  switchedOff: ReadonlySet<string>;
}

export interface HttpEnv {
  Variables: { requestId: string; client: Client };
}
