/** Error of a tool call: a stable class, a message, and what to do. */
import { z } from "zod";
import { failureOf, UsageError } from "../command/exit.ts";
import { oneLine } from "../output/text.ts";
import { excerpt } from "./untrusted.ts";

const CallError = z.object({ class: z.string(), message: z.string(), whatToDo: z.string() });
type CallError = z.infer<typeof CallError>;

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  usage: "Fix what the message names, and call again.",
  bad_request: "Fix what the message names, and call again.",
  unprocessable: "Fix what the message names, and call again.",
  unauthorized: "Ask the user to run kernelbot login, or to set KERNELBOT_TOKEN; problems and boards need no token.",
  forbidden: "The token lacks the permission; ask the user.",
  not_found: "Check the number, or list the problems with list_problems.",
  conflict: "Read the message; repeating the call does not help.",
  too_large: "Make the file smaller: at most 1 MB.",
  too_many_requests: "Wait for the time that the message names, then call again.",
  unavailable: "The server does not respond; wait and call again, and report it to the user if it persists.",
  internal: "Internal error; call again once, then report it to the user.",
};
const OTHERWISE = "Read the message; repeating the call may not help.";

/** Converts any error to a CallError. */
export function callError(error: unknown): CallError {
  const { code, message } = failureOf(error);
  const whatToDo = WHAT_TO_DO[code] ?? OTHERWISE;
  return { class: code, message: excerpt(oneLine(message), 1000), whatToDo };
}

/** Parses a tool's arguments. @throws UsageError that names the invalid ones. */
export function parsedArguments<Shape extends z.ZodType>(shape: Shape, args: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 3).map(({ path, message }) => [path.join("."), message]);
  throw new UsageError(faults.map((fault) => fault.filter((part) => part !== "").join(": ")).join("; "));
}
