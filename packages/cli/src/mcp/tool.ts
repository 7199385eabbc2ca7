/** A tool as data: what it takes, what it gives, and the function that does it. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { connect, type Connection } from "../config.ts";
import { callError, parsedArguments } from "./errors.ts";
import { jsonDocument } from "../text.ts";
import { excerpt } from "./untrusted.ts";

export interface CallContext extends Connection {
  /** Aborted when the caller cancels. */
  signal: AbortSignal;
  /** Tells how it goes; `done` grows. */
  progress: (done: number, message: string) => void;
}

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** Whether a call changes nothing. */
  readOnly: boolean;
  input: Input;
  output: Output;
  /** The answer as data, and the same for a reader of text. */
  call: (input: z.infer<Input>, context: CallContext) => Promise<{ data: z.infer<Output>; text: string }>;
}

/** A tool whose particular shapes no longer matter. */
export interface Tool extends Omit<ToolSpec<z.ZodObject, z.ZodObject>, "call"> {
  call: (
    args: unknown,
    server: string | undefined,
    how: Pick<CallContext, "signal" | "progress">,
  ) => Promise<CallToolResult>;
}

/** The most that a tool says in text, in characters. */
const MAX_ANSWER = 16_000;

/** Makes a tool: its arguments are parsed, its data is held to its shape, and whatever is thrown is an answer too. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  return {
    ...spec,
    async call(args, server, how) {
      try {
        const input = parsedArguments(spec.input, args);
        // The settings are read for each call, so that a login counts at once.
        const { data, text } = await spec.call(input, { ...(await connect(server)), ...how });
        return {
          structuredContent: spec.output.parse(data),
          content: [{ type: "text", text: excerpt(text, MAX_ANSWER) }],
        };
      } catch (error) {
        how.signal.throwIfAborted();
        // As text alone: many callers hold structured content to the tool's own shape, whatever the answer is.
        return { isError: true, content: [{ type: "text", text: jsonDocument({ error: callError(error) }) }] };
      }
    },
  };
}
