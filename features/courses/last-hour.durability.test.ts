/** The last hour before a deadline: a class submits at once, to two runners. */
import { mkdtempSync } from "node:fs";
import { join as joinPath } from "node:path";
import { expect, inject, test } from "vitest";
import { CourseSpec } from "./rules.ts";
import { ENOUGH_RUNS, Submission, type Claimed } from "@kernelbot/core";
import { inHours, join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { fakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import {
  claimWait,
  MACHINE,
  passing,
  person,
  ranked,
  reported,
  request,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { openServerWith, type TestServer } from "@kernelbot/testing/server.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { issueToken } from "@kernelbot/server/src/auth/tokens.ts";
import { claimRun } from "@kernelbot/server/src/queue/lease.ts";
import { submit } from "@kernelbot/server/src/submissions/submit.ts";
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

/** Returns a submission as its author sees it, in the API and on its page. */
async function seenBy(
  testServer: TestServer,
  { account }: Identity,
  id: number,
): Promise<{ api: unknown; page: string }> {
  const token = await issueToken(database, { accountId: account.id, label: "t", scopes: ["read"] });
  const browser = fakeBrowser(testServer);
  const client = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await database.db.transaction().execute((open) => beginSession(open, account.id, client));
  browser.cookies.set("kernelbot_session", session);
  return {
    api: await (await testServer.ask(`/api/v1/submissions/${id}`, token)).json(),
    page: await (await browser.get(`/submissions/${id}`)).text(),
  };
}

test("each author sees position and expected wait, no account is served twice before all are served once, and the grades are exact", async () => {
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

  const boxes = [await runner(database), await runner(database)];
  // Earlier runs, from which waits are estimated, and one on each runner.
  const teacher = await person(database, "teacher");
  await join(teacher);
  for (let number = 0; number < ENOUGH_RUNS; number += 1) {
    await ranked(database, teacher, boxes[0] as Identity, 100, { board: "triple", source: `# ${number}\n` });
  }
  const busy: { box: Identity; run: Claimed }[] = [];
  for (const box of boxes) {
    await submitted(database, teacher, { board: "triple", mode: "ranked", source: `# ${box.tokenId}\n` });
    const run = await claimWait(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 1000 });
    busy.push({ box, run: run as Claimed });
  }

  const submissions = await Promise.all(
    accounts.flatMap((account, student) =>
      Array.from({ length: SUBMISSIONS_EACH }, async (_, number) => {
        const source = `# ${student} ${number}\n`;
        const { submission } = await submit(database, account, request({ board: "triple", mode: "ranked", source }));
        return { student, account, id: submission.id, runId: submission.runs[0]?.id };
      }),
    ),
  );
  const storeFolder = mkdtempSync(joinPath(inject("scratch"), "artifacts-"));
  const testServer = await openServerWith(database, { problemsFolder: storeFolder, storeFolder });
  const positions: number[] = [];
  for (const { account, id } of submissions.filter((_, index) => index % 60 === 0)) {
    const { api, page } = await seenBy(testServer, account, id);
    const [run] = Submission.parse(api).runs;
    const position = run?.queuePosition ?? 0;
    expect(run?.expectedWaitMs?.low).toBeLessThanOrEqual(run?.expectedWaitMs?.high ?? NaN);
    const place = position === 1 ? "next" : `position ${position.toLocaleString("en-US")}`;
    expect(page).toMatch(new RegExp(`${place}, (about \\d|under 1 s)`));
    positions.push(position);
  }
  expect(new Set(positions).size).toBe(submissions.length / 60);
  expect(Math.min(...positions)).toBeGreaterThan(0);
  expect(Math.max(...positions)).toBeLessThanOrEqual(submissions.length);
  for (const { box, run } of busy) await reported(database, box, run, passing("ranked", [100, 100]));

  const studentOf = new Map(submissions.map(({ runId, student }) => [runId, student]));
  const served: number[] = [];
  const bestNs = new Map<number, number>();
  const work = async (box: Identity): Promise<void> => {
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
  await Promise.all(boxes.map(work));
  expect(served).toHaveLength(STUDENTS * SUBMISSIONS_EACH);
  // While one runner claims the run of the last account, the other already claims a second run of another.
  expect(new Set(served.slice(0, STUDENTS + boxes.length - 1)).size).toBe(STUDENTS);

  // The reference takes 1000 ns.
  const pointsAt = (timeNs: number) =>
    timeNs <= 125 ? 80 : timeNs <= 200 ? 70 : timeNs <= 1000 / 3 ? 60 : timeNs <= 500 ? 50 : 40;
  const { students } = await listStudents(database, olga, "spring");
  const points = Object.fromEntries(students.map(({ email, totalPoints }) => [email, totalPoints]));
  expect(points).toEqual(
    Object.fromEntries(numbers.map((student) => [addressOf(student), pointsAt(bestNs.get(student) ?? NaN)])),
  );
}, 900_000);
