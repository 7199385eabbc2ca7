/** The pages of courses: the student's own, and those of organisers with their forms. */
import { CompetitionName, ProblemName } from "@kernelbot/core";
import { ExtensionRequest, gradesCsv, STUDENT_STATES } from "../messages.ts";
import { parseCourse } from "../rules.ts";
import { adminCoursePage } from "../pages/admin.ts";
import { coursePage } from "../pages/own.ts";
import { similarPairsPage } from "../pages/similar-pairs.ts";
import type { Html } from "@kernelbot/web/blocks";
import { z } from "zod";
import { readCompetition, readOrganised } from "@kernelbot/server/src/competitions/competitions.ts";
import { noCompetition } from "@kernelbot/server/src/auth/visibility.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { doneQuery, form, page, type PageCall, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { findCourse, setCourse } from "../courses.ts";
import { enrol } from "../enrol.ts";
import { listStudents, readOwnCourse } from "../grades.ts";
import { importRoster, releaseStudent, removeStudent, setExtension } from "../roster.ts";
import { listSimilarPairs } from "../similar.ts";
import { requireCompetition } from "./endpoints.ts";
import "./student-source.ts";

const Address = z.object({ name: CompetitionName });

const ENROLLED = { enrolled: "You are enrolled." } as const;
const DONE = {
  saved: "Settings saved.",
  roster: "Roster uploaded.",
  extended: "Deadline set.",
  released: "Account released; another account can enrol.",
  removed: "Student removed from the roster.",
} as const;

const own = page({
  path: "/competitions/:name/course",
  access: "signed-in",
  params: Address,
  query: doneQuery(ENROLLED),
  async handle({ services: { database }, identity, params: { name }, query: { done }, visit, rejected }) {
    const competition = await readCompetition(database, identity, name);
    if (competition === null) throw noCompetition(name);
    return coursePage({
      visit,
      competition,
      ...(await readOwnCourse(database, identity, name)),
      done: done && ENROLLED[done],
      problem: rejected?.problem,
      email: rejected?.typed.get("email") ?? undefined,
    });
  },
});

const AdminQuery = doneQuery(DONE).extend({ state: z.enum(STUDENT_STATES).optional().catch(undefined) });
type AdminCall = PageCall<PageCall["identity"], z.infer<typeof Address>, z.infer<typeof AdminQuery>>;

/** The admin page of a course. */
export const adminCourse = page({
  path: "/admin/competitions/:name/course",
  access: "organiser",
  params: Address,
  query: AdminQuery,
  handle: (call) => renderAdminCourse(call),
});

/** Renders the admin page. @param notice Result of a form on it. */
export async function renderAdminCourse(call: AdminCall, notice?: Html): Promise<string> {
  const { services, identity, params, query, visit, rejected } = call;
  const { database } = services;
  const competition = await readOrganised(database, identity, params.name);
  const course = await findCourse(database.db, params.name);
  return adminCoursePage({
    visit,
    competition,
    course,
    students: course === null ? [] : (await listStudents(database, identity, params.name)).students,
    state: query.state,
    sources: await Promise.all(
      services.features
        .flatMap(({ studentSource: source }) => source ?? [])
        .map(async ({ renderRoster, ...link }) => ({
          ...link,
          roster: await renderRoster(database, params.name),
        })),
    ),
    notice,
    typed: rejected && { settings: rejected.typed.get("settings"), csv: rejected.typed.get("csv") },
    outcome: { done: query.done && DONE[query.done], problem: rejected?.problem },
  });
}

const toAdmin =
  (done: keyof typeof DONE) =>
  ({ params: { name } }: { params: { name: string } }): string =>
    `/admin/competitions/${name}/course?done=${done}`;

const Student = z.object({ email: z.string() });

export const coursePages: readonly PageRoute[] = [
  own,

  form({
    path: "/competitions/:name/course",
    on: own,
    fields: z.object({ email: z.string().trim().max(254).default("") }),
    handle: ({ services, identity, params: { name }, fields: { email } }) =>
      enrol(services.database, identity, name, email === "" ? undefined : email),
    redirectTo: ({ params: { name } }) => `/competitions/${name}/course?done=enrolled`,
  }),

  adminCourse,

  page({
    path: "/admin/competitions/:name/course/grades.csv",
    access: "organiser",
    params: Address,
    async handle({ c, services, identity, params: { name } }) {
      const csv = gradesCsv(await listStudents(services.database, identity, name));
      return c.body(csv, 200, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${name}-grades.csv"`,
      });
    },
  }),

  page({
    path: "/admin/competitions/:name/course/similar/:problem",
    access: "organiser",
    params: Address.extend({ problem: ProblemName }),
    async handle({ services: { database }, identity, params: { name, problem }, visit }) {
      const competition = await readOrganised(database, identity, name);
      return similarPairsPage({
        visit,
        competition,
        problem,
        pairs: await listSimilarPairs(database, identity, name, problem),
      });
    },
  }),

  form({
    path: "/admin/competitions/:name/course",
    on: adminCourse,
    fields: z.object({ settings: z.string() }),
    handle: ({ services, identity, params: { name }, fields: { settings } }) =>
      setCourse(services.database, identity, requireCompetition(parseCourse(settings), name)),
    redirectTo: toAdmin("saved"),
  }),

  form({
    path: "/admin/competitions/:name/course/roster",
    on: adminCourse,
    fields: z.object({ csv: z.string() }),
    handle: ({ services, identity, params: { name }, fields: { csv } }) =>
      importRoster(services.database, identity, name, csv),
    redirectTo: toAdmin("roster"),
  }),

  form({
    path: "/admin/competitions/:name/course/extensions",
    on: adminCourse,
    fields: Student.extend({ problem: z.string(), until: z.string() }),
    handle: ({ services, identity, params: { name }, fields: { email, problem, until } }) => {
      // A browser sends the time without seconds and zone.
      const dueAt = until === "" ? null : `${until.slice(0, 16)}:00Z`;
      return setExtension(services.database, identity, name, validated(ExtensionRequest, { email, problem, dueAt }));
    },
    redirectTo: toAdmin("extended"),
  }),

  form({
    path: "/admin/competitions/:name/course/release",
    on: adminCourse,
    fields: Student,
    handle: ({ services, identity, params: { name }, fields: { email } }) =>
      releaseStudent(services.database, identity, name, email),
    redirectTo: toAdmin("released"),
  }),

  form({
    path: "/admin/competitions/:name/course/remove",
    on: adminCourse,
    fields: Student,
    handle: ({ services, identity, params: { name }, fields: { email } }) =>
      removeStudent(services.database, identity, name, email),
    redirectTo: toAdmin("removed"),
  }),
];
