/** Courses in Moodle, Canvas and other learning platforms (LTI 1.3), which open them and receive their grades. */
import { deleteExpired } from "@kernelbot/server/src/db/delete-expired.ts";
import type { Feature } from "@kernelbot/server/src/feature.ts";
import { MINUTE_MS } from "@kernelbot/server/src/jobs/intervals.ts";
import { LTI_TABLES } from "./personal-data.ts";
import { courseLtiPages } from "./routes/course-lti-pages.ts";
import { platformRosterForm, studentSource } from "./routes/course-roster.ts";
import { deepLinkPages } from "./routes/deep-link-pages.ts";
import { ltiEndpoints } from "./routes/endpoints.ts";
import { launchPages } from "./routes/launch-pages.ts";
import { platformPages } from "./routes/platform-pages.ts";
import { startScores } from "./send.ts";

export const lti: Feature = {
  name: "lti",
  needs: ["courses"],
  title: "Learning platforms (LTI)",
  personalData: LTI_TABLES,
  otherTables: ["lti_key", "lti_platform", "lti_login", "lti_deep_link", "lti_line_item"],
  endpoints: ltiEndpoints,
  pages: [platformRosterForm, ...courseLtiPages, ...platformPages, ...deepLinkPages, ...launchPages],
  adminTabs: [{ path: "/admin/learning-platforms", name: "Learning platforms", role: "administrator" }],
  studentSource,
  jobs: ({ database }) => [
    {
      name: "delete expired launches",
      everyMs: MINUTE_MS,
      run: () => deleteExpired(database, ["lti_registration", "lti_login", "lti_launch", "lti_deep_link"]),
    },
  ],
  start: ({ database, signer }) => ({ stop: startScores(database, (bytes) => signer.sign(bytes)) }),
};
