/** Courses: competitions whose problems are assignments with deadlines, a roster and grades. */
import type { Feature } from "@kernelbot/server/src/feature.ts";
import { findCourse } from "./courses.ts";
import { enrolOnJoin } from "./enrol.ts";
import { COURSES_TABLES } from "./personal-data.ts";
import { coursePages } from "./routes/course-pages.ts";
import { courseEndpoints } from "./routes/endpoints.ts";

export const courses: Feature = {
  name: "courses",
  title: "Courses",
  personalData: COURSES_TABLES,
  otherTables: ["course", "course_assignment"],
  endpoints: courseEndpoints,
  pages: coursePages,
  competitionKind: {
    path: "course",
    adminLabel: "Course",
    label: "Assignments and your grades",
    includes: async ({ db }, competition) => (await findCourse(db, competition)) !== null,
    joined: enrolOnJoin,
  },
};
