/** Definition of a tool: input, output and the function that runs it. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { connect, type Connection } from "../config/config.ts";
import { callError, parsedArguments } from "./errors.ts";
import { jsonDocument } from "../output/text.ts";
import { excerpt } from "./untrusted.ts";

export interface CallContext extends Connection {
  /** Aborted when the caller cancels. */
  signal: AbortSignal;
  /** Reports progress; `done` increases from call to call. */
  progress: (done: number, message: string) => void;
}

interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** Whether calls change nothing. */
  readOnly: boolean;
  input: Input;
  output: Output;
  /** Runs the tool. Returns the output as data and as text. */
  call: (input: z.infer<Input>, context: CallContext) => Promise<{ data: z.infer<Output>; text: string }>;
}

/** Tool without its input and output types. */
export interface Tool extends Omit<ToolSpec<z.ZodObject, z.ZodObject>, "call"> {
  call: (
    args: unknown,
    server: string | undefined,
    how: Pick<CallContext, "signal" | "progress">,
  ) => Promise<CallToolResult>;
}

/** Maximum length of a tool's text output, in characters. */
const MAX_ANSWER = 16_000;

/** Makes a tool: parses its arguments, validates its output, and returns thrown errors as tool errors. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  return {
    ...spec,
    async call(args, server, how) {
      try {
        const input = parsedArguments(spec.input, args);
        // The settings are read on each call, so a login takes effect immediately.
        const { data, text } = await spec.call(input, { ...(await connect(server)), ...how });
        return {
          structuredContent: spec.output.parse(data),
          content: [{ type: "text", text: excerpt(text, MAX_ANSWER) }],
        };
      } catch (error) {
        how.signal.throwIfAborted();
        // Text only: many clients validate structured content against the tool's output schema, even for errors.
        return { isError: true, content: [{ type: "text", text: jsonDocument({ error: callError(error) }) }] };
      }
    },
  };
}
