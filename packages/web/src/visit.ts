/** What a page knows of the request that it answers. */
import { Theme, type Role } from "@kernelbot/core";
import type { AssetPaths } from "./assets.ts";

/** Who is signed in in the browser. */
export interface Viewer {
  id: string;
  name: string;
  /** The roles that count for this visit. */
  roles: readonly Role[];
}

export interface Visit {
  /** Null where nobody is signed in. */
  viewer: Viewer | null;
  /** Null where the browser's own setting counts. */
  theme: Theme | null;
  /** Its address on this server, with the query. */
  path: string;
  assets: AssetPaths;
}

/** A visit to a page for those alone who are signed in. */
export type SignedVisit = Visit & { viewer: Viewer };
