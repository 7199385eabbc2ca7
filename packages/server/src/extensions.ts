/**
 * What features add to pages and steps of the platform and of each other. Each member is an extension point, which a feature
 * fills in its manifest and the owner of the page reads from all features. A feature that others extend declares its points
 * beside the page:
 *
 * @example
 * declare module "@kernelbot/server/src/extensions.ts" {
 *   interface Extensions { studentSource: StudentSource }
 * }
 */
import type { AdminTab } from "@kernelbot/web";
import type { Identity } from "./auth/identity.ts";
import type { Database } from "./db/database.ts";

export interface Extensions {
  /** Tabs of the administration. */
  adminTabs: readonly AdminTab[];
  competitionKind: CompetitionKind;
}

/** A kind of competition with pages of its own, such as a course. */
export interface CompetitionKind {
  /** Name of its pages, below `/competitions/NAME/` for participants and `/admin/competitions/NAME/` for organisers. */
  path: string;
  /** Label of the link for participants. */
  label: string;
  /** Label of the link for organisers, which every competition has, because it can become one of this kind. */
  adminLabel: string;
  /** Returns whether a competition is of this kind. */
  includes: (database: Database, competition: string) => Promise<boolean>;
  /** Called after an account has joined a competition. Returns whether it is of this kind. */
  joined: (database: Database, identity: Identity, competition: string) => Promise<boolean>;
}
