/** `kernelbot admin course lti` and `send-grades`: a course in Moodle, Canvas and other learning platforms. */
import { setTimeout as pause } from "node:timers/promises";
import type { CourseLti, NewLtiLink } from "../messages.ts";
import { positiveInteger } from "@kernelbot/cli/src/command/arguments.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { defineRequest } from "@kernelbot/cli/src/request/request.ts";
import { connect } from "@kernelbot/cli/src/config/config.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { jsonDocument, sanitize } from "@kernelbot/cli/src/output/text.ts";
import { ltiContracts } from "../contract.ts";
import { courseLtiLines, gradeLines, newLinkLines } from "./lines.ts";

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
  request: async ({ client }, { create, assignment, revoke }, name): Promise<CourseLti | NewLtiLink> => {
    if (assignment !== undefined && !create) throw new UsageError("--assignment needs --create");
    if (create && revoke !== undefined) throw new UsageError("use --create or --revoke, not both");
    if (create) {
      const body = assignment === undefined ? {} : { problem: assignment };
      return client.request(ltiContracts.createLink, { params: { name }, body });
    }
    if (revoke !== undefined) {
      const id = positiveInteger(revoke, "the number of a link");
      await client.request(ltiContracts.revokeLink, { params: { name, id } });
    }
    return client.request(ltiContracts.course, { params: { name } });
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
  run: async ({ timeout, json, server }, name) => {
    const { client } = await connect(server);
    const until = performance.now() + positiveInteger(timeout, "a number of seconds") * 1000;
    let state = await client.request(ltiContracts.sendGrades, { params: { name } });
    while (state.queued > 0 && performance.now() < until) {
      await pause(POLL_MS);
      state = await client.request(ltiContracts.course, { params: { name } });
    }
    const terminal = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(state)}\n`);
    else terminal.print(gradeLines(sanitize(state), terminal.width, terminal.style));
    return state.failed.length + state.queued === 0 ? EXIT.passed : EXIT.platform;
  },
});
