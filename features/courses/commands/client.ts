/** Client of /api/v1/competitions/{name}/course. */
import type { CourseSpec } from "../rules.ts";
import type { ExtensionRequest } from "../messages.ts";
import type { Client } from "@kernelbot/api";
import { courseContracts } from "../contract.ts";

/** Creates the client of courses from that of a server. */
export function coursesClient({ request }: Pick<Client, "request">) {
  const { get, set, students, importRoster, removeStudent, releaseStudent, extend, similar, own, enrol } =
    courseContracts;
  return {
    get: (name: string) => request(get, { params: { name } }),
    /** Makes a competition a course, or replaces its settings. */
    set: (body: CourseSpec) => request(set, { params: { name: body.competition }, body }),
    /** Lists the students with their deadlines, submissions and grades. For organisers. */
    students: (name: string) => request(students, { params: { name } }),
    /**
     * Adds and updates students from CSV. For organisers.
     *
     * @example
     * await coursesClient(client).importRoster("gpu-course", "name,email,group\nAda,ada@example.org,A\n");
     */
    importRoster: (name: string, csv: string) => request(importRoster, { params: { name }, body: { csv } }),
    removeStudent: (name: string, email: string) => request(removeStudent, { params: { name }, body: { email } }),
    releaseStudent: (name: string, email: string) => request(releaseStudent, { params: { name }, body: { email } }),
    /** Sets a student's own deadline in an assignment, or removes it. */
    extend: (name: string, body: ExtensionRequest) => request(extend, { params: { name }, body }),
    /** Lists pairs of similar graded submissions to an assignment, the most similar first. */
    similar: async (name: string, problem: string) =>
      (await request(similar, { params: { name }, query: { problem } })).pairs,
    /** Returns the caller's own deadlines, submissions and grades. */
    own: (name: string) => request(own, { params: { name } }),
    /** Matches the caller's account with a student of the roster. */
    enrol: (name: string, email?: string) =>
      request(enrol, { params: { name }, body: email === undefined ? {} : { email } }),
  };
}
