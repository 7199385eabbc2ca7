/**
 * Manifest of a feature: all that the platform must know of it. `features.ts` lists the features; the application, the
 * program and its background work fold over that list and name none. Options and commands of an optional feature are in
 * files of their own, which load no routes (`feature-options.ts`, `server-command.ts`).
 *
 * @example
 * export const runs: Feature = { name: "runs", endpoints: [...runEndpoints, ...receiptEndpoints] };
 */
import type { ServeOptions } from "./config.ts";
import type { PersonalTable } from "./db/personal-tables.ts";
import type { Tables } from "./db/tables.ts";
import type { Extensions } from "./extensions.ts";
import type { Endpoint } from "./http/endpoint.ts";
import type { PageRoute } from "./http/page.ts";
import type { PeriodicJob } from "./jobs/periodic.ts";
import type { AppResources, OpenResources } from "./services.ts";

export interface Feature extends Partial<Extensions> {
  /** Name in `--without` and in the log. */
  name: string;
  /** Title of its endpoints in the reference of the API, for an optional feature. */
  title?: string;
  /** Names of the optional features that it imports: without one of them, it is switched off too. */
  needs?: readonly string[];
  /** Endpoints of /api/v1. */
  endpoints?: readonly Endpoint[];
  /** Routes outside /api/v1: pages, forms, downloads, streams. */
  pages?: readonly PageRoute[];
  /** What its tables store about a person, in the order in which an erasure executes their statements. */
  personalData?: readonly PersonalTable[];
  /** Its tables without rows about a person. */
  otherTables?: readonly (keyof Tables)[];
  /** Runs before the first request and the first job. */
  prepare?: (server: StartingServer) => Promise<unknown>;
  /** Periodic background work. */
  jobs?: (server: StartingServer) => readonly PeriodicJob[] | Promise<readonly PeriodicJob[]>;
  /** Starts what runs all the time, before the server listens. */
  start?: (server: StartingServer) => Promise<Started> | Started;
  /** Registers functions that other features call, before the routes are mounted. */
  connect?: (resources: AppResources) => void;
  /** Starts what sends requests to this server, once it answers at `url`; returns how to stop it. */
  listening?: (server: StartingServer, url: string) => Promise<() => Promise<void>>;
}

/** What is open when features start. */
export interface StartingServer extends OpenResources {
  options: ServeOptions;
  dataDir: string;
  /** Repeats a step while the database is unavailable. */
  patiently: <T>(step: () => Promise<T>) => Promise<T>;
}

interface Started {
  stop?: () => Promise<void> | void;
  /** What it opened for routes. */
  provides?: Partial<AppResources>;
}
