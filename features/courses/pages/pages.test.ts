/** Tests of the pages of courses, with hostile text in every field that a user controls. */
import { COMPETITION, HOSTILE, visitBy } from "@kernelbot/testing/web/examples.ts";
import { expect, test } from "vitest";
import type { Course, CourseStudent, StudentAssignment } from "../messages.ts";
import type { Assignment } from "../rules.ts";
import { adminCoursePage } from "./admin.ts";
import { coursePage } from "./own.ts";
import { similarPairsPage } from "./similar-pairs.ts";

const AT = "2026-03-01T14:05:00.000Z";
const visit = visitBy(HOSTILE, ["administrator"]);
const account = { id: HOSTILE, name: HOSTILE };
const outcome = { done: HOSTILE, problem: HOSTILE };
const competition = { ...COMPETITION, title: HOSTILE, description: HOSTILE };

const ASSIGNMENT: Assignment = {
  problem: "vectoradd",
  target: "H100",
  dueAt: AT,
  correctPoints: 40,
  thresholds: [{ speedup: 2, points: 80 }],
  lateDays: 2,
  penaltyPerDay: 0.1,
  counts: "best",
};
const GRADED: StudentAssignment = {
  problem: "vectoradd",
  dueAt: AT,
  isExtended: true,
  closesAt: AT,
  submissions: 2,
  grade: {
    points: 72,
    pointsBeforePenalty: 80,
    lateDays: 1,
    submission: { submissionId: 7, submittedAt: AT, timeNs: 1e6, speedup: 2.5 },
  },
};
const COURSE: Course = { competition: "spring", enrolment: "verified_email", assignments: [ASSIGNMENT] };
const STUDENT: CourseStudent = {
  email: HOSTILE,
  name: HOSTILE,
  group: HOSTILE,
  account,
  enrolledBy: "entered_email",
  enrolledAt: AT,
  assignments: [GRADED],
  totalPoints: 72,
};
const MISSING: CourseStudent = {
  ...STUDENT,
  ...{ account: null, enrolledBy: null, enrolledAt: null, totalPoints: 0 },
  assignments: [{ ...GRADED, submissions: 0, isExtended: false, grade: null }],
};

const PAGES: Record<string, () => Promise<string>> = {
  course: () =>
    adminCoursePage({
      visit,
      competition,
      course: COURSE,
      students: [STUDENT, MISSING],
      sources: [{ name: HOSTILE, path: "source", roster: null }],
      typed: { settings: HOSTILE, csv: HOSTILE },
      outcome,
    }),
  "own course": () => coursePage({ visit, competition, course: COURSE, student: STUDENT, done: HOSTILE }),
  "similar submissions": () => {
    const submission = { submissionId: 7, account, name: HOSTILE, email: HOSTILE };
    const pair = { problem: "vectoradd", similarity: 0.934, submissions: [submission, { ...submission, name: null }] };
    return similarPairsPage({ visit, competition, problem: "vectoradd", pairs: [pair] });
  },
  "own course without enrolment": () => {
    const course = { competition: "spring", enrolment: "entered_email", assignments: [] } as const;
    const shown = { visit, competition: { name: "spring", title: HOSTILE }, problem: HOSTILE, email: HOSTILE };
    return coursePage({ ...shown, course: { ...course, assignments: [] }, student: null });
  },
};

test.each(Object.entries(PAGES))("user text is escaped on the page %s", async (_, page) => {
  const text = await page();
  expect(text).toContain("&lt;script&gt;alert(1)");
  expect(text).not.toMatch(/<script>alert|<img src=x/);
});

test("the list of students is filtered by state in an assignment", async () => {
  const shown = {
    visit,
    competition,
    course: COURSE,
    students: [
      { ...STUDENT, name: "Ann" },
      { ...MISSING, name: "Bob" },
    ],
    sources: [],
  };
  const textOf = (page: string) => page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  const all = textOf(await adminCoursePage(shown));
  expect(all).toMatch(/All 2 Not enrolled 1 Not submitted 0 Not passed 0 Graded 1/);
  expect(all).toMatch(/Ann .* 72 1 day late until 2026-03-01 14:05 72 .*Bob .* not enrolled .* 0 /);
  const missing = textOf(await adminCoursePage({ ...shown, state: "not enrolled" }));
  expect(missing).toMatch(/Bob/);
  expect(missing).not.toMatch(/Ann/);
});

test("a student sees the deadline, the points and the penalty of each assignment", async () => {
  const page = await coursePage({
    visit,
    competition,
    course: COURSE,
    student: { ...STUDENT, name: "Ann", email: "ann@example.org" },
  });
  const text = page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(text).toMatch(/Ann \(ann@example\.org\): 72 points/);
  expect(text).toMatch(
    /Due 2026-03-01 14:05 UTC \(extended for you\)\. Accepted for 2 more days; each started day costs 10 % of the points/,
  );
  expect(text).toMatch(
    /72 of 80 points .*correct 40 speedup of at least 2× 80 Graded: submission 7 , 1\.000 ms, speedup 2\.500×, 1 late day/,
  );
});
