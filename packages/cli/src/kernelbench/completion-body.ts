/**
 * Parses the body of a chat completion. An endpoint or a gateway may send a stream of events although none was requested, or
 * comments before the JSON to keep the connection open; the answer in it is paid for.
 */
import { z } from "zod";
import { parsedJson } from "./files.ts";

const Text = z.string().nullish().catch(null);
/** Event of a stream: a part of the first choice, or the usage at the end. */
const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({ content: Text, refusal: Text, reasoning_content: Text, reasoning: Text }),
      finish_reason: Text,
    }),
  ),
  usage: z.unknown().optional(),
});
type Chunk = z.infer<typeof Chunk>;

/** Returns the JSON of a body, or the completion that a stream of events adds up to; undefined if it has neither. */
export function completionBody(text: string): unknown {
  const whole = parsedJson(text.replace(/^\uFEFF/, ""));
  if (whole !== undefined) return whole;
  const lines = text.split(/\r\n|\n|\r/);
  const events = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice("data:".length).trim());
  if (events.length === 0) return parsedJson(lines.filter((line) => !line.startsWith(":")).join("\n"));
  const values = events.map(parsedJson).filter((value) => value !== undefined);
  const chunks = values.map((value) => Chunk.safeParse(value));
  // An error, or a whole completion, may be one event of a stream.
  const other = values.find((_, at) => chunks[at]?.success === false);
  return other ?? joinedChunks(chunks.flatMap(({ data }) => data ?? []));
}

/** Joins the parts of a streamed completion. A stream that ends without a finish reason was cut off. */
function joinedChunks(chunks: readonly Chunk[]): unknown {
  const parts = chunks.flatMap(({ choices: [choice] }) => choice ?? []);
  const joined = (of: (delta: Chunk["choices"][number]["delta"]) => string | null | undefined) =>
    parts.map(({ delta }) => of(delta) ?? "").join("");
  const reasoning = joined((delta) => delta.reasoning_content ?? delta.reasoning);
  const message = {
    content: joined((delta) => delta.content),
    refusal: joined((delta) => delta.refusal) || null,
    reasoning_content: reasoning || null,
  };
  const finish = parts.findLast(({ finish_reason }) => typeof finish_reason === "string")?.finish_reason ?? "length";
  const usage = chunks.findLast((chunk) => chunk.usage !== undefined && chunk.usage !== null)?.usage;
  return { choices: [{ message, finish_reason: finish }], usage };
}
