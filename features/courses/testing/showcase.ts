/** A course with students, some of whom have not enrolled. */
import { CLOSED, STUDENTS } from "@kernelbot/testing/showcase/competitions.ts";
import type { FeatureShowcase, FeatureValues } from "@kernelbot/testing/showcase/example.ts";
import { actor, type Stage } from "@kernelbot/testing/showcase/perform.ts";
import { setCourse } from "../courses.ts";
import { enrol } from "../enrol.ts";
import { importRoster } from "../roster.ts";
import { CourseSpec, DAY_MS } from "../rules.ts";

export const coursesShowcase: FeatureShowcase = {
  fill: openCourse,
  pages: [
    {
      name: "course",
      route: "/competitions/:name/course",
      path: () => `/competitions/${CLOSED}/course`,
      visitor: "participant",
      title: "Course: GPU programming laboratory",
    },
    {
      name: "course-enrol",
      route: "/competitions/:name/course",
      path: () => `/competitions/${CLOSED}/course`,
      visitor: "organiser",
      title: "Course: GPU programming laboratory",
    },
    {
      name: "admin-course",
      route: "/admin/competitions/:name/course",
      path: () => `/admin/competitions/${CLOSED}/course`,
      visitor: "organiser",
      title: "Course: GPU programming laboratory",
    },
    {
      name: "admin-course-similar",
      route: "/admin/competitions/:name/course/similar/:problem",
      path: () => `/admin/competitions/${CLOSED}/course/similar/conv2d`,
      visitor: "organiser",
      title: "Similar submissions to conv2d",
    },
  ],
};

/** Makes the closed competition a course whose deadline is over, which accepts no submissions of the past. Two students have not enrolled. */
async function openCourse(stage: Stage, now: Date): Promise<FeatureValues> {
  const { database, cast } = stage;
  const spec = {
    competition: CLOSED,
    enrolment: "entered_email",
    assignments: [
      {
        ...{ problem: "conv2d", target: "cpu", lateDays: 3, penaltyPerDay: 0.1, correctPoints: 40 },
        dueAt: new Date(now.getTime() - 5 * DAY_MS).toISOString(),
        thresholds: [2, 4, 8].map((speedup, at) => ({ speedup, points: 60 + 20 * at })),
      },
    ],
  };
  await setCourse(database, cast.organiser, CourseSpec.parse(spec));
  const students = [...STUDENTS, "Ada Example", "Maximilian Freiherr von und zu Beispielhausen"];
  const lines = students.map((name, at) => `${name},student${at}@example.edu,${"AB"[at % 2]}`);
  await importRoster(database, cast.organiser, CLOSED, ["name,email,group", ...lines].join("\n"));
  for (const [at, name] of STUDENTS.entries())
    await enrol(database, actor(stage, name), CLOSED, `student${at}@example.edu`);
  return {};
}
