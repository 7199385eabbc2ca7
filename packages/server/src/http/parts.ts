import { setTimeout } from "node:timers/promises";
import type { Context } from "hono";
import type { HttpEnv } from "./faces.ts";

const encoder = new TextEncoder();

/** So long the rest of a long page waits after its first part, so that a browser paints that before it reads on. */
const FIRST_LOOK_MS = 400;

/** Answers with a page whose parts are made one after the other: each is on its way before the next is begun. */
export function sendParts(
  c: Context<HttpEnv>,
  parts: AsyncGenerator<string, void>,
  { isLong }: { isLong: boolean },
): Response {
  let pauseMs = isLong ? FIRST_LOOK_MS : 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.next();
        if (done === true) {
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(value));
        await setTimeout(pauseMs);
        pauseMs = 0;
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return c.body(stream, 200, { "content-type": "text/html; charset=UTF-8" });
}
