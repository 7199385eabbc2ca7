import { positiveInteger } from "../../command/arguments.ts";
import { UsageError } from "../../command/exit.ts";
import { defineRequest } from "../../request/request.ts";
import { formatBudget } from "../../render/transcript.ts";
import { findDestination } from "../../submission/destination.ts";

export const command = defineRequest({
  name: "session start",
  options: {
    board: { type: "string", short: "b", value: "NAME", help: "Name of a problem" },
    target: { type: "string", short: "t", value: "NAME", help: "Target to judge on" },
    evaluations: { type: "string", value: "N", default: "20", help: "Maximum number of evaluations, at most 500" },
    seconds: { type: "string", value: "N", default: "3600", help: "Time until the session ends, at most 604800" },
  },
  notes: [
    "Cached and cancelled evaluations count. Those that expired in the queue do not, nor the first within an hour that the platform failed to judge.",
    "Evaluate with kernelbot evaluate FILE --session ID, and attach the transcript with kernelbot submit FILE --session ID.",
  ],
  request: async ({ client }, { board, target, evaluations, seconds }) => {
    const { board: problem, targets } = await findDestination(client, "", {
      board,
      targets: target === undefined ? [] : [target],
    });
    const [only, ...others] = targets;
    if (only === undefined || others.length > 0) throw new UsageError("name one target with --target");
    return client.sessions.open({
      ...{ problem, target: only, maxEvaluations: positiveInteger(evaluations, "a number of evaluations") },
      maxSeconds: positiveInteger(seconds, "a number of seconds"),
    });
  },
  lines: (session) => [
    `Session ${session.id} for ${session.problem} on ${session.target}: ${formatBudget(session)}.`,
    `To use it: kernelbot evaluate FILE --session ${session.id}`,
  ],
});
