/** `kernelbot admin course lti` and `send-grades`: a course in Moodle, Canvas and other learning platforms. */
import { setTimeout as pause } from "node:timers/promises";
import type { CourseLti, NewLtiLink } from "@kernelbot/core";
import { positiveInteger } from "../../command/arguments.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { defineRequest } from "../../command/request.ts";
import { connect } from "../../config/config.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument, sanitize } from "../../output/text.ts";
import { courseLtiLines, gradeLines, newLinkLines } from "../../render/lti.ts";

const POLL_MS = 1000;

export const lti = defineRequest({
  name: "admin course lti",
  positionals: ["COMPETITION"],
  options: {
    create: { type: "boolean", help: "Create a link, which opens the course from one activity of a platform" },
    assignment: {
      type: "string",
      value: "PROBLEM",
      help: "With --create: the activity receives the grades of it only",
    },
    revoke: { type: "string", value: "ID", help: "Revoke a link; members remain, and its grades are no longer sent" },
  },
  notes: [
    "Lists the links, and the grades that platforms have not accepted. An activity whose custom parameters or URL contain " +
      "the parameter of a link signs its users in and makes them members of the course.",
  ],
  request: async ({ client }, { create, assignment, revoke }, competition): Promise<CourseLti | NewLtiLink> => {
    if (assignment !== undefined && !create) throw new UsageError("--assignment needs --create");
    if (create && revoke !== undefined) throw new UsageError("use --create or --revoke, not both");
    if (create) return client.lti.createLink(competition, assignment === undefined ? {} : { problem: assignment });
    if (revoke !== undefined) await client.lti.revokeLink(competition, positiveInteger(revoke, "the number of a link"));
    return client.lti.course(competition);
  },
  lines: (response, { width, style }) =>
    "parameter" in response ? newLinkLines(response) : courseLtiLines(response, width, style),
});

export const sendGrades = defineCommand({
  name: "admin course send-grades",
  positionals: ["COMPETITION"],
  options: {
    timeout: { type: "string", value: "SECONDS", default: "120", help: "Seconds to wait for the platforms" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Changed grades are sent within a minute in any case. This command sends them, and those that failed, at once, and " +
      "lists what the platforms did not accept. Exits with 3 if there is any.",
  ],
  run: async ({ timeout, json, server }, competition) => {
    const { client } = await connect(server);
    const until = performance.now() + positiveInteger(timeout, "a number of seconds") * 1000;
    let state = await client.lti.sendGrades(competition);
    while (state.queued > 0 && performance.now() < until) {
      await pause(POLL_MS);
      state = await client.lti.course(competition);
    }
    const terminal = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(state)}\n`);
    else terminal.print(gradeLines(sanitize(state), terminal.width, terminal.style));
    return state.failed.length + state.queued === 0 ? EXIT.passed : EXIT.platform;
  },
});
