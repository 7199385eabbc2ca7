/** Message of a `text/event-stream` body. */
export interface ServerSentEvent {
  /** Last id in the stream so far, as in the standard; empty if there was none. */
  id: string;
  event: string;
  data: string;
}

/** Maximum length of a line, in characters, so that a stream without line breaks does not exhaust memory. */
const MAX_LINE = 4_000_000;

/**
 * Parses a body in the format of https://html.spec.whatwg.org/multipage/server-sent-events.html. A message that is
 * truncated by the end of the connection is dropped; comments are ignored.
 * @throws RangeError for a line of more than four million characters.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  let message: ServerSentEvent = { id: "", event: "message", data: "" };
  const data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() as string;
      if (rest.length > MAX_LINE) throw new RangeError("a line of the event stream is too long");
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { ...message, data: data.join("\n") };
          data.length = 0;
          message = { ...message, event: "message" };
          continue;
        }
        const [, field, text = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as unknown as [string, string, string?];
        if (field === "data") data.push(text);
        else if (field === "id") message.id = text;
        else if (field === "event") message.event = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
