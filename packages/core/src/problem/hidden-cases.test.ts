import { expect, test } from "vitest";
import { isSameRevision } from "../board/revision.ts";
import { problemChanges } from "./changes.ts";
import { publicProblem } from "./hidden-cases.ts";
import { caseLine } from "../vocabulary/case-line.ts";
import { parseProblem, problemVersion } from "./problem.ts";

const SALT = "0123456789abcdef0123456789abcdef";
const HIDDEN = `salt: ${SALT}\ncases: [{ size: 4799 }, { size: 5081 }]\n`;

function problem(hidden: string | undefined, application = "application: { cases: [{ size: 3 }] }") {
  const task = `description: Doubles.\ntests: [{ size: 1 }]\nbenchmarks: [{ size: 2 }]\ngpus: [cpu]\n${application}\n`;
  const files = { "task.yml": task, "reference.py": "", "application.py": "" };
  return parseProblem("double", hidden === undefined ? files : { ...files, "hidden_cases.yml": hidden });
}

test("hidden cases are part of the problem, and of its version", async () => {
  const { spec } = problem(HIDDEN);
  expect(spec.application).toMatchObject({ cases: [{ size: 3 }], hiddenCases: [{ size: 4799 }, { size: 5081 }] });
  const other = HIDDEN.replace("4799", "4801");
  expect(await problemVersion(problem(HIDDEN))).not.toBe(await problemVersion(problem(other)));
});

test("participants may read everything of a problem but its hidden cases, of which they see the number", () => {
  const shown = publicProblem(problem(HIDDEN));
  expect(JSON.stringify(shown)).not.toMatch(/4799|5081|0123456789abcdef/);
  expect(shown.spec.application?.hiddenCases?.map(caseLine)).toEqual(["hidden case 1", "hidden case 2"]);
  expect(Object.keys(shown.files)).toEqual(["task.yml", "reference.py", "application.py"]);
  const open = problem(undefined);
  expect(publicProblem(open)).toBe(open);
});

test("other hidden cases do not start a new revision of the board, and the history does not contain them", () => {
  const [before, after] = [problem(undefined), problem(HIDDEN)];
  expect(isSameRevision(before, after, "cpu")).toBe(true);
  const changes = problemChanges(after, problem(HIDDEN.replace("4799", "4801")));
  expect(changes).toEqual([{ kind: "files", words: "hidden_cases.yml changed" }]);
  expect(problemChanges(before, after)).toEqual([
    { kind: "judging", words: "application: hidden cases 0 → 2" },
    { kind: "files", words: "hidden_cases.yml added" },
  ]);
  expect(JSON.stringify([problemChanges(before, after), problemChanges(after, before)])).not.toMatch(/4799|5081/);
});

test("a change of the application is described key by key", () => {
  const other = "application: { cases: [{ size: 3 }, { size: 4 }], gate: required, seconds_per_day: 60 }";
  expect(problemChanges(problem(undefined), problem(undefined, other)).map(({ words }) => words)).toEqual([
    "application: size: 4 added",
    "application: gate shown → required",
    "application: seconds_per_day 3600 → 60",
  ]);
  expect(problemChanges(problem(undefined, ""), problem(undefined)).map(({ words }) => words)).toEqual([
    "application: none → 1 case",
  ]);
});

test.each([
  ["salt: x\ncases: [{ size: 1 }]", undefined, /hidden_cases\.yml: salt: use at least 32 random characters/],
  ["cases: [{ size: 1 }]", undefined, /hidden_cases\.yml: salt: write a random text/],
  [`salt: ${SALT}\ncases: []`, undefined, /hidden_cases\.yml: cases: /],
  [`salt: ${SALT}\ncases: [{ 1a: 1 }]`, undefined, /hidden_cases\.yml: cases\.0/],
  ["{", undefined, /hidden_cases\.yml is not YAML/],
  [HIDDEN, "", /hidden_cases\.yml: task\.yml has no key "application"/],
  [
    HIDDEN,
    `application: { cases: [${Array.from({ length: 99 }, () => "{ size: 1 }").join(", ")}] }`,
    /at most 100 cases/,
  ],
])("refuses %j", (hidden, application, message) => {
  expect(() => problem(hidden, application)).toThrow(message);
});
