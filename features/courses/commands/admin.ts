import { formatCount } from "@kernelbot/core";
import { gradesCsv } from "../messages.ts";
import { parseCourse } from "../rules.ts";
import { defineCommand, SERVER_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { defineGroup } from "@kernelbot/cli/src/command/group.ts";
import { readNamedFile } from "@kernelbot/cli/src/command/read-file.ts";
import { coursesClient } from "./client.ts";
import { defineRequest } from "@kernelbot/cli/src/request/request.ts";
import { connect } from "@kernelbot/cli/src/config/config.ts";
import { moment } from "@kernelbot/cli/src/render/format.ts";
import { ROSTER_NOTE, rosterLines, similarLines, studentLines } from "./lines.ts";

const set = defineRequest({
  name: "admin course set",
  positionals: ["FILE"],
  notes: [
    "FILE is YAML with competition, enrolment (verified_email, entered_email) and assignments: problem, target, due_at (UTC), and " +
      "optionally correct_points, thresholds ({ speedup: 2, points: 80 } or { time_ms: 1.5, points: 80 }), late_days, " +
      "penalty_per_day (a share from 0 to 1) and counts (best, last).",
  ],
  request: async ({ client }, _, file) => coursesClient(client).set(parseCourse(await readNamedFile(file))),
  lines: ({ competition, assignments }) => [
    `${competition} is a course with ${formatCount(assignments.length, "assignment")}:`,
    ...assignments.map(({ problem, target, dueAt }) => `  ${problem} on ${target}, due ${moment(dueAt)}`),
  ],
});

const roster = defineRequest({
  name: "admin course roster",
  positionals: ["COMPETITION", "FILE"],
  notes: [ROSTER_NOTE],
  request: async ({ client }, _, competition, file) =>
    coursesClient(client).importRoster(competition, await readNamedFile(file)),
  lines: (result) => rosterLines(result),
});

const students = defineRequest({
  name: "admin course students",
  positionals: ["COMPETITION"],
  options: { missing: { type: "boolean", help: "Only students without a grade in at least one assignment" } },
  request: async ({ client }, { missing }, competition) => {
    const all = await coursesClient(client).students(competition);
    if (!missing) return all;
    const lacks = all.students.filter(({ assignments }) => assignments.some(({ grade }) => grade === null));
    return { ...all, students: lacks };
  },
  lines: (response, { width, style }) => studentLines(response, width, style),
});

const grades = defineCommand({
  name: "admin course grades",
  positionals: ["COMPETITION"],
  options: { ...SERVER_OPTION },
  notes: ["Writes CSV to the standard output: kernelbot admin course grades COMPETITION > grades.csv"],
  run: async ({ server }, competition) => {
    const { client } = await connect(server);
    process.stdout.write(gradesCsv(await coursesClient(client).students(competition)));
    return EXIT.passed;
  },
});

const extend = defineRequest({
  name: "admin course extend",
  positionals: ["COMPETITION", "EMAIL", "PROBLEM"],
  options: {
    until: { type: "string", value: "TIME", help: "New deadline in UTC, such as 2026-03-10T22:00:00Z" },
    remove: { type: "boolean", help: "Remove the extension" },
  },
  request: async ({ client }, { until, remove }, competition, email, problem) => {
    if ((until === undefined) !== remove) throw new UsageError("use --until TIME or --remove");
    const extension = { email, problem, dueAt: until ?? null };
    await coursesClient(client).extend(competition, extension);
    return extension;
  },
  lines: ({ email, problem, dueAt }) => [
    dueAt === null ? `${email} has no extension in ${problem}.` : `${problem} is due ${moment(dueAt)} for ${email}.`,
  ],
});

const release = defineRequest({
  name: "admin course release",
  positionals: ["COMPETITION", "EMAIL"],
  request: async ({ client }, _, competition, email) => {
    await coursesClient(client).releaseStudent(competition, email);
    return { email };
  },
  lines: ({ email }) => [`${email} has no account now; another account can enrol.`],
});

const remove = defineRequest({
  name: "admin course remove",
  positionals: ["COMPETITION", "EMAIL"],
  request: async ({ client }, _, competition, email) => {
    await coursesClient(client).removeStudent(competition, email);
    return { email };
  },
  lines: ({ email }) => [`${email} is removed from the roster. The account remains a member of the competition.`],
});

const similar = defineRequest({
  name: "admin course similar",
  positionals: ["COMPETITION", "PROBLEM"],
  notes: ["Compares the graded submission of each student with the submissions of all other accounts to the problem."],
  request: async ({ client }, _, competition, problem) => ({
    pairs: await coursesClient(client).similar(competition, problem),
  }),
  lines: ({ pairs }, { width, style }) => similarLines(pairs, width, style),
});

export const command = defineGroup({
  name: "admin course",
  commands: {
    set: { about: "Set the assignments and grading rules from a file", load: () => Promise.resolve({ command: set }) },
    roster: {
      about: "Add and update students from CSV",
      load: () => Promise.resolve({ command: roster }),
    },
    students: {
      about: "List the students with their points and missing submissions",
      load: () => Promise.resolve({ command: students }),
    },
    grades: { about: "Write the grades as CSV", load: () => Promise.resolve({ command: grades }) },
    extend: { about: "Set or remove a student's extended deadline", load: () => Promise.resolve({ command: extend }) },
    release: { about: "Separate a student from an account", load: () => Promise.resolve({ command: release }) },
    remove: { about: "Remove a student from the roster", load: () => Promise.resolve({ command: remove }) },
    similar: { about: "List pairs of similar submissions", load: () => Promise.resolve({ command: similar }) },
  },
});
