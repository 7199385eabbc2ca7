import { formatCount, gradesCsv, parseCourse, type LtiRosterResult, type RosterResult } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { defineGroup } from "../../command/group.ts";
import { readNamedFile } from "../../command/read-file.ts";
import { defineRequest } from "../../command/request.ts";
import { connect } from "../../config/config.ts";
import { moment } from "../../render/format.ts";
import { similarLines, studentLines } from "../../render/courses.ts";
import { listed, oneLine } from "../../output/text.ts";
import { lti, sendGrades } from "./course-lti.ts";

const set = defineRequest({
  name: "admin course set",
  positionals: ["FILE"],
  notes: [
    "FILE is YAML with competition, enrolment (verified_email, entered_email) and assignments: problem, target, due_at (UTC), and " +
      "optionally correct_points, thresholds ({ speedup: 2, points: 80 } or { time_ms: 1.5, points: 80 }), late_days, " +
      "penalty_per_day (a share from 0 to 1) and counts (best, last).",
  ],
  request: async ({ client }, _, file) => client.courses.set(parseCourse(await readNamedFile(file))),
  lines: ({ competition, assignments }) => [
    `${competition} is a course with ${formatCount(assignments.length, "assignment")}:`,
    ...assignments.map(({ problem, target, dueAt }) => `  ${problem} on ${target}, due ${moment(dueAt)}`),
  ],
});

const roster = defineRequest({
  name: "admin course roster",
  positionals: ["COMPETITION", "[FILE]"],
  options: {
    "from-platform": {
      type: "boolean",
      help: "Take over the students of the learning platform from which the course was opened",
    },
  },
  notes: [
    "FILE is CSV whose first line names the columns name, email and, optionally, group. Students are added, and updated by " +
      "their address. Students that the file does not contain remain.",
  ],
  request: async (
    { client },
    { "from-platform": fromPlatform },
    competition,
    file,
  ): Promise<RosterResult & Partial<LtiRosterResult>> => {
    if (fromPlatform === (file !== undefined)) throw new UsageError("use a FILE or --from-platform");
    if (file === undefined) return client.lti.importRoster(competition);
    return client.courses.importRoster(competition, await readNamedFile(file));
  },
  lines: ({ added, updated, unchanged, missing, others, rejected = [] }) => [
    `${formatCount(added, "student")} added, ${updated} updated, ${unchanged} unchanged.`,
    ...(others === undefined
      ? []
      : [`${formatCount(others, "other member")} of the platform, such as teachers, left out.`]),
    ...rejected.map(({ member, reason }) => `Not imported: ${oneLine(member)}: ${oneLine(reason)}`),
    ...(missing.length === 0
      ? []
      : [
          others === undefined
            ? `On the roster, but not in the file: ${listed(missing)}.`
            : `On the roster, but not an active student at the platform: ${listed(missing)}.`,
        ]),
  ],
});

const students = defineRequest({
  name: "admin course students",
  positionals: ["COMPETITION"],
  options: { missing: { type: "boolean", help: "Only students without a grade in at least one assignment" } },
  request: async ({ client }, { missing }, competition) => {
    const all = await client.courses.students(competition);
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
    process.stdout.write(gradesCsv(await client.courses.students(competition)));
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
    await client.courses.extend(competition, extension);
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
    await client.courses.releaseStudent(competition, email);
    return { email };
  },
  lines: ({ email }) => [`${email} has no account now; another account can enrol.`],
});

const remove = defineRequest({
  name: "admin course remove",
  positionals: ["COMPETITION", "EMAIL"],
  request: async ({ client }, _, competition, email) => {
    await client.courses.removeStudent(competition, email);
    return { email };
  },
  lines: ({ email }) => [`${email} is removed from the roster. The account remains a member of the competition.`],
});

const similar = defineRequest({
  name: "admin course similar",
  positionals: ["COMPETITION", "PROBLEM"],
  notes: ["Compares the graded submission of each student with the submissions of all other accounts to the problem."],
  request: async ({ client }, _, competition, problem) => ({
    pairs: await client.courses.similar(competition, problem),
  }),
  lines: ({ pairs }, { width, style }) => similarLines(pairs, width, style),
});

export const command = defineGroup({
  name: "admin course",
  commands: {
    set: { about: "Set the assignments and grading rules from a file", load: () => Promise.resolve({ command: set }) },
    roster: {
      about: "Add and update students from CSV, or from a learning platform",
      load: () => Promise.resolve({ command: roster }),
    },
    students: {
      about: "List the students with their points and missing submissions",
      load: () => Promise.resolve({ command: students }),
    },
    grades: { about: "Write the grades as CSV", load: () => Promise.resolve({ command: grades }) },
    lti: {
      about: "List, create and revoke links to learning platforms such as Moodle and Canvas",
      load: () => Promise.resolve({ command: lti }),
    },
    "send-grades": {
      about: "Send the grades to the learning platforms now",
      load: () => Promise.resolve({ command: sendGrades }),
    },
    extend: { about: "Set or remove a student's extended deadline", load: () => Promise.resolve({ command: extend }) },
    release: { about: "Separate a student from an account", load: () => Promise.resolve({ command: release }) },
    remove: { about: "Remove a student from the roster", load: () => Promise.resolve({ command: remove }) },
    similar: { about: "List pairs of similar submissions", load: () => Promise.resolve({ command: similar }) },
  },
});
