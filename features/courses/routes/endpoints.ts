/** API endpoints of courses. */
import { courseContracts } from "../contract.ts";
import { KernelBotError, quote } from "@kernelbot/core";
import type { CourseSpec } from "../rules.ts";
import { viewerOf } from "@kernelbot/server/src/http/identify.ts";
import { endpoint } from "@kernelbot/server/src/http/endpoint.ts";
import { readCourse, setCourse } from "../courses.ts";
import { enrol } from "../enrol.ts";
import { listStudents, readOwnCourse } from "../grades.ts";
import { importRoster, releaseStudent, removeStudent, setExtension } from "../roster.ts";
import { listSimilarPairs } from "../similar.ts";

/** Rosters and grades are personal data, which no cache may keep. */
const PRIVATE = { "cache-control": "private, no-store" };

/** Returns settings of the competition of the URL. @throws KernelBotError `unprocessable` for those of another one. */
export function requireCompetition(spec: CourseSpec, name: string): CourseSpec {
  if (spec.competition === name) return spec;
  throw new KernelBotError("unprocessable", `competition: must be ${quote(name)}, as in the URL`);
}

export const courseEndpoints = [
  endpoint(courseContracts.get, async ({ c, services, params }) =>
    c.json(await readCourse(services.database, await viewerOf(c, services), params.name)),
  ),

  endpoint(courseContracts.set, async ({ c, services, identity, params, body }) => {
    return c.json(await setCourse(services.database, identity, requireCompetition(body, params.name)));
  }),

  endpoint(courseContracts.students, async ({ c, services, identity, params }) =>
    c.json(await listStudents(services.database, identity, params.name), 200, PRIVATE),
  ),

  endpoint(courseContracts.importRoster, async ({ c, services, identity, params, body }) =>
    c.json(await importRoster(services.database, identity, params.name, body.csv), 200, PRIVATE),
  ),

  endpoint(courseContracts.removeStudent, async ({ c, services, identity, params, body }) => {
    await removeStudent(services.database, identity, params.name, body.email);
    return c.body(null, 204);
  }),

  endpoint(courseContracts.releaseStudent, async ({ c, services, identity, params, body }) => {
    await releaseStudent(services.database, identity, params.name, body.email);
    return c.body(null, 204);
  }),

  endpoint(courseContracts.extend, async ({ c, services, identity, params, body }) => {
    await setExtension(services.database, identity, params.name, body);
    return c.body(null, 204);
  }),

  endpoint(courseContracts.similar, async ({ c, services, identity, params, query }) => {
    const pairs = await listSimilarPairs(services.database, identity, params.name, query.problem);
    return c.json({ pairs }, 200, PRIVATE);
  }),

  endpoint(courseContracts.own, async ({ c, services, identity, params }) =>
    c.json(await readOwnCourse(services.database, identity, params.name), 200, PRIVATE),
  ),

  endpoint(courseContracts.enrol, async ({ c, services, identity, params, body }) => {
    await enrol(services.database, identity, params.name, body.email);
    return c.json(await readOwnCourse(services.database, identity, params.name), 200, PRIVATE);
  }),
];
