import { gradeAssignment, type GradedSubmission, maximumPoints, totalPoints } from "./grade.ts";
import { type Assignment, assignmentClosesAt, formatCourse, parseCourse } from "./rules.ts";
import { expect, test } from "vitest";

const DUE = "2026-03-08T22:00:00.000Z";
const HOUR = 3_600_000;

const RULES: Assignment = {
  problem: "vectoradd",
  target: "H100",
  dueAt: DUE,
  correctPoints: 40,
  thresholds: [
    { speedup: 1.5, points: 70 },
    { speedup: 3, points: 100 },
  ],
  lateDays: 3,
  penaltyPerDay: 0.1,
  counts: "best",
};

function submission(
  submissionId: number,
  hoursAfterDue: number,
  speedup: number | null,
  timeNs = 1e6,
): GradedSubmission {
  return { submissionId, submittedAt: new Date(Date.parse(DUE) + hoursAfterDue * HOUR).toISOString(), timeNs, speedup };
}

function points(rules: Partial<Assignment>, ...submissions: GradedSubmission[]): number | undefined {
  return gradeAssignment({ ...RULES, ...rules }, submissions, DUE)?.points;
}

test("a submission gets the points of the best threshold that it reaches, exactly at the threshold too", () => {
  expect(points({}, submission(1, -1, 1.49))).toBe(40);
  expect(points({}, submission(1, -1, 1.5))).toBe(70);
  expect(points({}, submission(1, -1, 99))).toBe(100);
  expect(points({ thresholds: [{ timeMs: 1, points: 90 }] }, submission(1, -1, null, 1e6))).toBe(90);
  expect(points({ thresholds: [{ timeMs: 1, points: 90 }] }, submission(1, -1, null, 1e6 + 1))).toBe(40);
});

test("a problem without a reference reaches no speedup threshold", () => {
  expect(points({}, submission(1, -1, null))).toBe(40);
});

test("each started day after the deadline costs a share of the points, and later submissions do not count", () => {
  expect(points({}, submission(1, 0, 3))).toBe(100);
  expect(points({}, submission(1, 0.001, 3))).toBe(90);
  expect(points({}, submission(1, 24, 3))).toBe(90);
  expect(points({}, submission(1, 24.001, 3))).toBe(80);
  expect(points({}, submission(1, 72, 3))).toBe(70);
  expect(points({}, submission(1, 72.001, 3))).toBeUndefined();
  expect(points({ lateDays: 20 }, submission(1, 15 * 24, 3))).toBe(0);
});

test("an extension moves the deadline from which late days are counted", () => {
  const extended = new Date(Date.parse(DUE) + 48 * HOUR).toISOString();
  expect(gradeAssignment(RULES, [submission(1, 50, 3)], extended)).toMatchObject({ points: 90, lateDays: 1 });
});

test("best counts the most points after the penalty, of equal ones the earliest; last the last correct one", () => {
  const all = [submission(3, 30, 3), submission(2, -1, 1.6), submission(1, -2, 1.7)];
  expect(gradeAssignment(RULES, all, DUE)).toMatchObject({ points: 80, submission: { submissionId: 3 } });
  expect(gradeAssignment(RULES, all.slice(1), DUE)?.submission.submissionId).toBe(1);
  expect(gradeAssignment({ ...RULES, counts: "last" }, all.toReversed(), DUE)?.submission.submissionId).toBe(3);
  expect(points({ counts: "last" }, ...all, submission(4, 31, 1))).toBe(32);
});

test("the total adds the grades, and an assignment without one counts 0", () => {
  expect(totalPoints([{ points: 33.33 }, null, { points: 66.67 }])).toBe(100);
  expect(maximumPoints(RULES)).toBe(100);
  expect(gradeAssignment(RULES, [], DUE)).toBeNull();
});

test("grades equal a computation that walks through the submissions in time", () => {
  let state = 42;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 500; round += 1) {
    const submissions = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) =>
      submission(index + 1, random() * 120 - 30, random() < 0.1 ? null : random() * 4),
    );
    let best = -1;
    for (const each of submissions) {
      const hours = (Date.parse(each.submittedAt) - Date.parse(DUE)) / HOUR;
      let earned = 40;
      if ((each.speedup ?? 0) >= 1.5) earned = 70;
      if ((each.speedup ?? 0) >= 3) earned = 100;
      if (hours > 72) continue;
      if (hours > 48) earned *= 0.7;
      else if (hours > 24) earned *= 0.8;
      else if (hours > 0) earned *= 0.9;
      if (earned > best) best = earned;
    }
    expect(points({}, ...submissions) ?? -1).toBeCloseTo(best, 9);
  }
});

const FILE = `
competition: gpu-course
assignments:
  - problem: vectoradd
    target: H100
    due_at: 2026-03-08T22:00:00Z
    thresholds: [{ speedup: 1.5, points: 70 }, { time_ms: 0.5, points: 100 }]
`;

test("a course file is read with its defaults", () => {
  expect(parseCourse(FILE)).toEqual({
    competition: "gpu-course",
    enrolment: "verified_email",
    assignments: [
      {
        problem: "vectoradd",
        target: "H100",
        dueAt: "2026-03-08T22:00:00Z",
        correctPoints: 0,
        thresholds: [
          { speedup: 1.5, points: 70 },
          { timeMs: 0.5, points: 100 },
        ],
        lateDays: 0,
        penaltyPerDay: 0,
        counts: "best",
      },
    ],
  });
  expect(parseCourse(formatCourse(parseCourse(FILE)))).toEqual(parseCourse(FILE));
  expect(assignmentClosesAt({ lateDays: 2 }, DUE)).toBe("2026-03-10T22:00:00.000Z");
});

test.each([
  ["an unknown key", FILE.replace("target", "gpu"), /assignments\.0: unknown key gpu/],
  ["a threshold without a measure", FILE.replace("{ speedup: 1.5, points: 70 }", "{ points: 70 }"), /speedup: 2/],
  [
    "a problem twice",
    `${FILE}  - { problem: vectoradd, target: H100, due_at: 2026-03-08T22:00:00Z }\n`,
    /name each problem once/,
  ],
])("a course file with %s is refused with its place", (_, file, message) => {
  expect(() => parseCourse(file)).toThrow(message);
});
