/** What learning platforms add to the admin page of a course: the students of their courses. */
import type { StudentSource } from "../../courses/routes/student-source.ts";
import { adminCourse, renderAdminCourse } from "../../courses/routes/course-pages.ts";
import { form } from "@kernelbot/server/src/http/page.ts";
import { signOf } from "../key.ts";
import { importedRoster, platformRoster } from "../pages/roster.ts";
import { importPlatformRoster, listRosterSources } from "../roster.ts";

export const studentSource: StudentSource = {
  name: "Moodle, Canvas and other learning platforms",
  path: "lti",
  renderRoster: async (database, competition) =>
    platformRoster(competition, await listRosterSources(database, competition)),
};

export const platformRosterForm = form({
  path: "/admin/competitions/:name/course/platform-roster",
  on: adminCourse,
  async handle(call) {
    const { c, services, identity, params } = call;
    const imported = await importPlatformRoster(services.database, signOf(services), identity, params.name);
    return c.html(await renderAdminCourse(call, importedRoster(imported)));
  },
});
