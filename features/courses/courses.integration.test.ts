import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { CourseSpec } from "./rules.ts";
import { gradesCsv } from "./messages.ts";
import { inHours, join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, failing, person, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readAudit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { createTeam, joinTeam } from "@kernelbot/server/src/competitions/teams.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { storeFingerprints } from "@kernelbot/server/src/moderation/similar.ts";
import { readCourse, setCourse } from "./courses.ts";
import { enrol, enrolOnJoin } from "./enrol.ts";
import { listStudents, readOwnCourse } from "./grades.ts";
import { importRoster, releaseStudent, removeStudent, setExtension } from "./roster.ts";
import { listSimilarPairs } from "./similar.ts";

useScene();
useOrganiser();

const ROSTER = "name,email,group\nAnn Archer,ann@example.org,A\n=Bob,bob@example.org,\nEve,eve@example.org,B\n";
const THRESHOLDS = [
  { speedup: 2, points: 70 },
  { speedup: 4, points: 100 },
];

type Assignment = Partial<CourseSpec["assignments"][number]>;

function course(triple: Assignment = {}, double: Assignment = {}): CourseSpec {
  const common = { target: "cpu", dueAt: inHours(1), correctPoints: 40, thresholds: THRESHOLDS };
  return CourseSpec.parse({
    competition: "spring",
    enrolment: "entered_email",
    assignments: [
      { problem: "triple", ...common, ...triple },
      { problem: "double", ...common, ...double },
    ],
  });
}

beforeEach(async () => {
  await made({ endsAt: inHours(240), problems: ["triple", "double"], participants: "members", teamSize: 2 });
  await setCourse(database, olga, course());
  await importRoster(database, olga, "spring", ROSTER);
  for (const each of [ann, bob]) await join(each);
});

async function verify(identity: Identity, address: string): Promise<void> {
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('email', ${address}, ${identity.account.id}, ${address})`;
}

const enter = (identity: Identity, name: string) => enrol(database, identity, "spring", `${name}@example.org`);
const studentOf = async (identity: Identity) => (await readOwnCourse(database, identity, "spring")).student;

test("a roster upload adds and updates students, and names those that it does not contain", async () => {
  const update = "name,email\nAnn Archer,ann@example.org\nBob,bob@example.org\nDan,dan@example.org\n";
  expect(await importRoster(database, olga, "spring", update)).toEqual({
    added: 1,
    updated: 2,
    unchanged: 0,
    missing: ["eve@example.org"],
  });
  expect(await importRoster(database, olga, "spring", update)).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
  const { students } = await listStudents(database, olga, "spring");
  expect(students.map(({ name, group }) => [name, group])).toEqual([
    ["Ann Archer", null],
    ["Bob", null],
    ["Dan", null],
    ["Eve", "B"],
  ]);
  const log = await readAudit(database, root, { limit: 1 });
  expect(log[0]).toMatchObject({ act: "roster", subject: "competition spring", detail: { unchanged: 3 } });
});

test("a member who signs in with an address of the roster is enrolled when joining", async () => {
  await verify(ann, "ann@example.org");
  await enrolOnJoin(database, ann, "spring");
  expect(await studentOf(ann)).toMatchObject({
    name: "Ann Archer",
    account: ann.account,
    enrolledBy: "verified_email",
  });
  await enrolOnJoin(database, bob, "spring");
  expect(await studentOf(bob)).toBeNull();
});

test("an entered address enrols one account, until the organiser releases it", async () => {
  await enter(ann, "ann");
  await enter(ann, "ann");
  await expect(enter(bob, "ann")).rejects.toThrow(/another account is enrolled as "ann@example.org"/);
  await expect(enter(bob, "missing")).rejects.toThrow(/"missing@example.org" is not on the roster of spring/);
  await releaseStudent(database, olga, "spring", "ann@example.org");
  await enter(bob, "ann");
  expect(await studentOf(bob)).toMatchObject({ name: "Ann Archer", enrolledBy: "entered_email" });
  expect(await studentOf(ann)).toBeNull();
});

test("concurrent requests enrol an account once", async () => {
  const waiting = () => database.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let both: Promise<unknown> = Promise.resolve();
  await runTransaction(database.db, async (transaction) => {
    await sql`select from course_student for update`.execute(transaction);
    both = Promise.all([enter(ann, "ann"), enter(ann, "eve")]);
    await expect.poll(waiting).toHaveLength(2);
  });
  await both;
  expect(await studentOf(ann)).not.toBeNull();
});

test("addresses cannot be guessed: an account has ten attempts in an hour", async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await expect(enter(ann, `guess${attempt}`)).rejects.toMatchObject({ code: "not_found" });
  }
  await expect(enter(ann, "ann")).rejects.toMatchObject({ code: "too_many_requests" });
});

test("a course with verified addresses refuses an entered one, and strangers cannot enrol", async () => {
  await setCourse(database, olga, { ...course(), enrolment: "verified_email" });
  await expect(enter(ann, "ann")).rejects.toThrow(/requires that your account signs in with the address/);
  const eve = await person(database, "eve");
  await verify(eve, "eve@example.org");
  await expect(enter(eve, "eve")).rejects.toMatchObject({ code: "forbidden" });
});

test("students see only themselves; other organisers see nothing", async () => {
  await enter(ann, "ann");
  const own = await readOwnCourse(database, ann, "spring");
  expect(JSON.stringify(own)).not.toMatch(/bob@|eve@/);
  const otto = await person(database, "otto", ["submit", "read", "admin"], ["organiser"]);
  for (const other of [ann, otto]) {
    const refused = { code: "forbidden" };
    await expect(listStudents(database, other, "spring")).rejects.toMatchObject(refused);
    await expect(listSimilarPairs(database, other, "spring", "triple")).rejects.toMatchObject(refused);
    await expect(importRoster(database, other, "spring", ROSTER)).rejects.toMatchObject(refused);
    await expect(removeStudent(database, other, "spring", "ann@example.org")).rejects.toMatchObject(refused);
    const extension = { email: "ann@example.org", problem: "triple", dueAt: inHours(2) };
    await expect(setExtension(database, other, "spring", extension)).rejects.toMatchObject(refused);
    await expect(setCourse(database, other, course())).rejects.toMatchObject(refused);
  }
});

test("ranked submissions are refused after the last late day, except those of students with an extension", async () => {
  await enter(ann, "ann");
  await enter(bob, "bob");
  await setCourse(database, olga, course({ dueAt: inHours(-25), lateDays: 1 }));
  const submit = (who: Identity) => submitted(database, who, { mode: "ranked", board: "triple" });
  await expect(submit(ann)).rejects.toThrow(/accepted ranked submissions from you until .*; ask the organiser/);
  await submitted(database, ann, { mode: "ranked", board: "double" });
  await submitted(database, ann, { mode: "test", board: "triple" });
  const extension = { email: "BOB@example.org", problem: "triple" };
  await setExtension(database, olga, "spring", { ...extension, dueAt: inHours(1) });
  await submit(bob);
  await setExtension(database, olga, "spring", { ...extension, dueAt: null });
  await expect(submit(bob)).rejects.toMatchObject({ code: "conflict" });
});

test("an assignment must be a board of the competition and close with it", async () => {
  const set = (triple: Assignment) => setCourse(database, olga, course(triple));
  await expect(set({ target: "TPU" })).rejects.toThrow(/triple on TPU is not a board of spring/);
  await expect(set({ dueAt: inHours(239), lateDays: 1 })).rejects.toThrow(/triple closes at .*move ends_at/);
  await setExtension(database, olga, "spring", { email: "ann@example.org", problem: "triple", dueAt: inHours(200) });
  await expect(set({ lateDays: 2 })).rejects.toThrow(/triple closes at .*move ends_at/);
  const late = { email: "ann@example.org", problem: "triple", dueAt: inHours(241) };
  await expect(setExtension(database, olga, "spring", late)).rejects.toMatchObject({ code: "conflict" });
  await expect(setExtension(database, olga, "spring", { ...late, problem: "none" })).rejects.toThrow(/those are /);
  await expect(readCourse(database, ann, "winter")).rejects.toMatchObject({ code: "not_found" });
});

test("grades equal a computation from the times that the runs reported", async () => {
  await enter(ann, "ann");
  await enter(bob, "bob");
  // Submissions to triple are 2 days late, those to double in time. Bob has one day more.
  const late = { lateDays: 3, penaltyPerDay: 0.2 };
  await setCourse(database, olga, course({ dueAt: inHours(-30), ...late }, { counts: "last" }));
  await setExtension(database, olga, "spring", { email: "bob@example.org", problem: "triple", dueAt: inHours(-6) });
  const timesNs = {
    ann: { triple: [800, 400, 450], double: [200, 900] },
    bob: { triple: [250, 600], double: [] },
  };
  for (const [who, times] of [
    [ann, timesNs.ann],
    [bob, timesNs.bob],
  ] as const) {
    for (const board of ["triple", "double"] as const) {
      for (const timeNs of times[board]) await ranked(database, who, box, timeNs, { board });
    }
  }
  await submitted(database, bob, { mode: "ranked", board: "double" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));

  // The reference takes 1000 ns.
  const base = (timeNs: number) => (timeNs <= 250 ? 100 : timeNs <= 500 ? 70 : 40);
  const expected = {
    ann: { triple: Math.max(...timesNs.ann.triple.map(base)) * (1 - 2 * 0.2), double: base(900) },
    bob: { triple: Math.max(...timesNs.bob.triple.map(base)) * (1 - 1 * 0.2), double: undefined },
  };
  const all = await listStudents(database, olga, "spring");
  const pointsOf = (name: string) => {
    const assignments = all.students.find((student) => student.account?.name === name)?.assignments ?? [];
    return Object.fromEntries(assignments.map(({ problem, grade }) => [problem, grade?.points]));
  };
  expect({ ann: pointsOf("ann"), bob: pointsOf("bob") }).toEqual(expected);
  expect((await studentOf(bob))?.assignments).toMatchObject([
    { problem: "triple", isExtended: true, submissions: 2, grade: { lateDays: 1, pointsBeforePenalty: 100 } },
    { problem: "double", isExtended: false, submissions: 1, grade: null },
  ]);
  const csv = gradesCsv(all).split("\r\n");
  expect(csv[0]).toMatch(/^name,email,group,account,triple points,triple late days,triple submission,double points/);
  expect(csv[1]).toMatch(/^'=Bob,bob@example.org,,bob,80,1,\d+,0,,,80,200$/);
  expect(csv[2]).toMatch(/^Ann Archer,ann@example.org,A,ann,42,2,\d+,40,0,\d+,82,200$/);
  expect(csv[3]).toBe("Eve,eve@example.org,B,,0,,,0,,,0,200");
});

test("a submission of a team counts for each of its members, with the member's own deadline", async () => {
  await enter(ann, "ann");
  await enter(bob, "bob");
  const { code } = await createTeam(database, ann, "spring", "Fast ones");
  await joinTeam(database, bob, "spring", code ?? "");
  await setCourse(database, olga, course({ dueAt: inHours(-1), lateDays: 1, penaltyPerDay: 0.5 }));
  await setExtension(database, olga, "spring", { email: "bob@example.org", problem: "triple", dueAt: inHours(1) });
  await ranked(database, ann, box, 500, { board: "triple" });
  expect([(await studentOf(ann))?.totalPoints, (await studentOf(bob))?.totalPoints]).toEqual([35, 70]);
});

test("removed students and replaced assignments lose their extensions; grades of removed submissions disappear", async () => {
  await enter(ann, "ann");
  await setExtension(database, olga, "spring", { email: "ann@example.org", problem: "double", dueAt: inHours(3) });
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  expect((await studentOf(ann))?.totalPoints).toBe(100);
  await database.sql`update submission set removed_at = now(), removed_by = ${root.account.id}, removal_reason = 'x' where id = ${id}`;
  expect((await studentOf(ann))?.totalPoints).toBe(0);
  await setCourse(database, olga, { ...course(), assignments: course().assignments.slice(0, 1) });
  await setCourse(database, olga, course());
  expect((await studentOf(ann))?.assignments.map(({ isExtended }) => isExtended)).toEqual([false, false]);
  await removeStudent(database, olga, "spring", "ann@example.org");
  expect(await studentOf(ann)).toBeNull();
});

/** Returns a source with enough statements for a comparison. @param end Its last line. */
function longSource(end: string): string {
  const statement = (at: number) =>
    `    x = torch.${["add", "mul", "sub", "max"][at % 4]}(x, data[${at}].${["exp", "log", "sum"][at % 3]}())`;
  return ["def custom_kernel(data):", ...Array.from({ length: 30 }, (_, at) => statement(at)), end, ""].join("\n");
}

test("similar submissions of two students are one pair, with their names on the roster", async () => {
  await enter(ann, "ann");
  await enter(bob, "bob");
  const first = await ranked(database, ann, box, 100, { board: "triple", source: longSource("    return x") });
  const copy = await ranked(database, bob, box, 100, { board: "triple", source: longSource("    return x  # mine") });
  while ((await storeFingerprints(database)) > 0);
  const [pair, ...others] = await listSimilarPairs(database, olga, "spring", "triple");
  expect(others).toEqual([]);
  expect(pair).toMatchObject({
    problem: "triple",
    submissions: [
      { submissionId: first, name: "Ann Archer", email: "ann@example.org" },
      { submissionId: copy, name: "=Bob", account: bob.account },
    ],
  });
  expect(pair?.similarity).toBeGreaterThan(0.9);
  expect(await listSimilarPairs(database, olga, "spring", "double")).toEqual([]);
});

test("members of a team are not similar to each other", async () => {
  await enter(ann, "ann");
  await enter(bob, "bob");
  const { code } = await createTeam(database, ann, "spring", "Fast ones");
  await joinTeam(database, bob, "spring", code ?? "");
  await submitted(database, bob, { board: "triple", source: longSource("    return x") });
  await claimed(database, box);
  await ranked(database, ann, box, 100, { board: "triple", source: longSource("    return x  # faster") });
  while ((await storeFingerprints(database)) > 0);
  expect(await listSimilarPairs(database, olga, "spring", "triple")).toEqual([]);
});
