import { coursesClient } from "./client.ts";
import { defineRequest } from "@kernelbot/cli/src/request/request.ts";
import { ownCourseLines } from "./lines.ts";

export const command = defineRequest({
  name: "course",
  positionals: ["COMPETITION"],
  options: {
    enrol: { type: "boolean", help: "Enrol as the student who has an e-mail address that you sign in with" },
    "enrol-as": { type: "string", value: "EMAIL", help: "Enrol as the student with this e-mail address" },
  },
  notes: ["Shows your deadlines, extensions included, and the submission that counts in each assignment."],
  request: ({ client }, { enrol, "enrol-as": email }, competition) =>
    enrol || email !== undefined
      ? coursesClient(client).enrol(competition, email)
      : coursesClient(client).own(competition),
  lines: ({ course, student }, { width, style }) => ownCourseLines(course, student, width, style),
});
