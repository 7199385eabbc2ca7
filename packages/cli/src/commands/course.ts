import { defineRequest } from "../command/request.ts";
import { ownCourseLines } from "../render/courses.ts";

export const command = defineRequest({
  name: "course",
  positionals: ["COMPETITION"],
  options: {
    enrol: { type: "boolean", help: "Enrol as the student who has an e-mail address that you sign in with" },
    "enrol-as": { type: "string", value: "EMAIL", help: "Enrol as the student with this e-mail address" },
  },
  notes: ["Shows your deadlines, extensions included, and the submission that counts in each assignment."],
  request: ({ client }, { enrol, "enrol-as": email }, competition) =>
    enrol || email !== undefined ? client.courses.enrol(competition, email) : client.courses.own(competition),
  lines: ({ course, student }, { width, style }) => ownCourseLines(course, student, width, style),
});
