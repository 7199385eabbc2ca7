/** The last hour before a deadline: a class submits at once, to two runners. */
import { expect, test } from "vitest";
import { CourseSpec } from "@kernelbot/core";
import { inHours, join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { passing, person, reported, request, runner, MACHINE } from "@kernelbot/testing/fixtures.ts";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { claimRun } from "../queue/lease.ts";
import { submit } from "../submissions/submit.ts";
import { readSubmission } from "../submissions/views.ts";
import { setCourse } from "./courses.ts";
import { enrol } from "./enrol.ts";
import { listStudents } from "./grades.ts";
import { importRoster } from "./roster.ts";

useScene();
useOrganiser();

const STUDENTS = 300;
const SUBMISSIONS_EACH = 10;
const numbers = Array.from({ length: STUDENTS }, (_, number) => number);
const addressOf = (student: number) => `student${student}@example.org`;

test("each submission has a position, no account is served twice before all are served once, and the grades are exact", async () => {
  await made({ endsAt: inHours(48), problems: ["triple"], participants: "members" });
  const thresholds = [2, 3, 5, 8].map((speedup, at) => ({ speedup, points: 50 + 10 * at }));
  const assignment = { problem: "triple", target: "cpu", dueAt: inHours(1), correctPoints: 40, thresholds };
  const spec = { competition: "spring", enrolment: "entered_email", assignments: [assignment] };
  await setCourse(database, olga, CourseSpec.parse(spec));
  const lines = numbers.map((student) => `Student ${student},${addressOf(student)}`);
  await importRoster(database, olga, "spring", ["name,email", ...lines].join("\n"));
  const accounts = [];
  for (const student of numbers) {
    const account = await person(database, `student ${student}`);
    await join(account);
    await enrol(database, account, "spring", addressOf(student));
    accounts.push(account);
  }

  const submissions = await Promise.all(
    accounts.flatMap((account, student) =>
      Array.from({ length: SUBMISSIONS_EACH }, async (_, number) => {
        const source = `# ${student} ${number}\n`;
        const { submission } = await submit(database, account, request({ board: "triple", mode: "ranked", source }));
        return { student, id: submission.id, runId: submission.runs[0]?.id };
      }),
    ),
  );
  const positions = [];
  for (const { id } of submissions.filter((_, index) => index % 60 === 0)) {
    positions.push((await readSubmission(database, id))?.runs[0]?.queuePosition);
  }
  expect(positions.every((position) => typeof position === "number")).toBe(true);

  const studentOf = new Map(submissions.map(({ runId, student }) => [runId, student]));
  const served: number[] = [];
  const bestNs = new Map<number, number>();
  const work = async (): Promise<void> => {
    const box = await runner(database);
    for (;;) {
      const run = await claimRun(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
      if (run === null) return;
      const student = studentOf.get(run.runId) ?? -1;
      const timeNs = 80 + ((run.runId * 7919) % 1000);
      served.push(student);
      bestNs.set(student, Math.min(bestNs.get(student) ?? Infinity, timeNs));
      await reported(database, box, run, passing("ranked", [timeNs, timeNs]));
    }
  };
  await Promise.all([work(), work()]);
  expect(served).toHaveLength(STUDENTS * SUBMISSIONS_EACH);
  expect(new Set(served.slice(0, STUDENTS)).size).toBe(STUDENTS);

  // The reference takes 1000 ns.
  const pointsAt = (timeNs: number) =>
    timeNs <= 125 ? 80 : timeNs <= 200 ? 70 : timeNs <= 1000 / 3 ? 60 : timeNs <= 500 ? 50 : 40;
  const { students } = await listStudents(database, olga, "spring");
  const points = Object.fromEntries(students.map(({ email, totalPoints }) => [email, totalPoints]));
  expect(points).toEqual(
    Object.fromEntries(numbers.map((student) => [addressOf(student), pointsAt(bestNs.get(student) ?? NaN)])),
  );
}, 900_000);
