import type { Html } from "@kernelbot/web/blocks";
import type { Database } from "@kernelbot/server/src/db/database.ts";

/** Where the students of a course come from besides the roster that is uploaded, such as learning platforms. */
export interface StudentSource {
  /** Name in links. */
  name: string;
  /** Name of its page below the admin page of a course. */
  path: string;
  /** Renders what it adds to the section of the roster; null for nothing. */
  renderRoster: (database: Database, competition: string) => Promise<Html | null>;
}

declare module "@kernelbot/server/src/extensions.ts" {
  interface Extensions {
    studentSource: StudentSource;
  }
}
