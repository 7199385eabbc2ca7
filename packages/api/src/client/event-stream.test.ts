import { expect, test } from "vitest";
import { readEventStream, type ServerSentEvent } from "./event-stream.ts";

/** Parses a text that arrives in chunks of `pieceBytes` bytes. */
async function read(text: string, pieceBytes: number): Promise<ServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceBytes) controller.enqueue(bytes.slice(at, at + pieceBytes));
      controller.close();
    },
  });
  const messages: ServerSentEvent[] = [];
  for await (const message of readEventStream(body)) messages.push(message);
  return messages;
}

test.each([1, 2, 3, 1000])("a stream received %i bytes at a time has the same messages", async (pieceBytes) => {
  const text = ': hello\r\nid: 7\r\nevent: log\r\ndata: {"µ": 1}\r\n\r\ndata:one\ndata: two\n\n: keep-alive\n\n';
  expect(await read(text, pieceBytes)).toEqual([
    { id: "7", event: "log", data: '{"µ": 1}' },
    { id: "7", event: "message", data: "one\ntwo" },
  ]);
});

test("a message truncated by the end of the connection is dropped", async () => {
  expect(await read("id: 1\ndata: whole\n\nid: 2\ndata: cut o", 5)).toEqual([
    { id: "1", event: "message", data: "whole" },
  ]);
});

test("an endless line is rejected before it exhausts memory", async () => {
  await expect(read(`data: ${"x".repeat(5_000_000)}`, 65_536)).rejects.toThrow("too long");
});
