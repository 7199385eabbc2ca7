/** Report of similar graded submissions, from the search for similar sources that moderators use. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { CourseStudent, SimilarPair } from "./messages.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { similarTo } from "@kernelbot/server/src/moderation/similar.ts";
import { listStudents } from "./grades.ts";

/** Pairs with less common code are left out: independent solutions of a problem share its template. */
const MIN_SIMILARITY = 0.3;
/** Most similar submissions that are read for each graded submission. */
const NEAREST = 5;

/**
 * Lists pairs of accounts with similar submissions to an assignment, the most similar first: for each student the
 * submission that is graded, and the submissions of other accounts that are most similar to it. Reads one source after
 * the other.
 * @throws KernelBotError `forbidden` or `not_found`.
 */
export async function listSimilarPairs(
  database: Database,
  identity: Identity,
  competition: string,
  problem: string,
): Promise<SimilarPair[]> {
  const { course, students } = await listStudents(database, identity, competition);
  if (!course.assignments.some((assignment) => assignment.problem === problem)) {
    throw new KernelBotError("not_found", `${quote(problem)} is not an assignment of ${competition}`);
  }
  const gradedOf = (student: CourseStudent | undefined) =>
    student?.assignments.find((each) => each.problem === problem)?.grade?.submission.submissionId;
  const byAccount = new Map(
    students.flatMap((student) => (student.account ? [[student.account.id, student] as const] : [])),
  );
  const pairs = new Map<string, SimilarPair>();
  for (const student of students) {
    const { account } = student;
    const submissionId = gradedOf(student);
    if (account === null || submissionId === undefined) continue;
    for (const near of (await similarTo(database, submissionId, NEAREST)) ?? []) {
      if (near.similarity < MIN_SIMILARITY) break;
      // The members of a team are graded by the same submission.
      if (gradedOf(byAccount.get(near.account.id)) === submissionId) continue;
      const key = [account.id, near.account.id].toSorted().join(" ");
      if ((pairs.get(key)?.similarity ?? 0) >= near.similarity) continue;
      const submissions = [
        { submissionId, account },
        { submissionId: near.submissionId, account: near.account },
      ].toSorted((a, b) => a.submissionId - b.submissionId);
      pairs.set(key, {
        problem,
        similarity: near.similarity,
        submissions: submissions.map((each) => {
          const student = byAccount.get(each.account.id);
          return { ...each, name: student?.name ?? null, email: student?.email ?? null };
        }),
      });
    }
  }
  return [...pairs.values()].toSorted((a, b) => b.similarity - a.similarity);
}
