/** Data of the request that a page responds to. */
import { Theme, type Role } from "@kernelbot/core";
import type { AssetPaths } from "../assets/asset-files.ts";
import type { Picture } from "../preview/picture.ts";

/** Account that is signed in. */
export interface Viewer {
  id: string;
  name: string;
  /** Roles in effect for this visit. */
  roles: readonly Role[];
}

/** Tab of the administration. */
export interface AdminTab {
  path: string;
  name: string;
  /** Role that sees it; administrators see all. */
  role: Role;
}

export interface Visit {
  /** Account that is signed in; null if there is none. */
  viewer: Viewer | null;
  /** Colour theme; null for the browser's own setting. */
  theme: Theme | null;
  /** Public origin of the server, such as `https://kernels.example.org`. */
  origin: string;
  /** Path and query of the request. */
  path: string;
  /** Path and query of the page to return to after signing in or choosing a theme. */
  next: string;
  /** Returns the address of a picture; null where the page is not public. */
  picturePath: ((picture: Picture) => string) | null;
  assets: AssetPaths;
  /** Tabs that features add to the administration. */
  adminTabs: readonly AdminTab[];
}

/** Visit of a page that requires an account. */
export type SignedVisit = Visit & { viewer: Viewer };
