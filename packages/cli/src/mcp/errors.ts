/** Error of a tool call: a stable class, a message, and what to do. */
import { z } from "zod";
import { failureOf, UsageError } from "../command/exit.ts";
import { oneLine } from "../output/text.ts";
import { excerpt } from "./untrusted.ts";

export const CallError = z.object({ class: z.string(), message: z.string(), whatToDo: z.string() });
export type CallError = z.infer<typeof CallError>;

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  usage: "Mend what the message names, and call again.",
  bad_request: "Mend what the message names, and call again.",
  unprocessable: "Mend what the message names, and call again.",
  unauthorized: "Ask the user to run kernelbot login, or to set KERNELBOT_TOKEN; problems and boards need no token.",
  forbidden: "This token may not do that; ask the user.",
  not_found: "Look at what there is with list_problems, or check the number.",
  conflict: "Read the message; the same call again will not help.",
  too_large: "Make the file smaller: at most 1 MB.",
  too_many_requests: "Wait as long as the message says, then call again.",
  unavailable: "The server does not answer; wait and call again, and tell the user if it stays so.",
  internal: "Something failed that should not; call again once, then tell the user.",
};
const OTHERWISE = "Read the message; the same call again may not help.";

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
