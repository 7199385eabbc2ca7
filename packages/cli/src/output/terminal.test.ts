import type { WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { LiveBlock, terminalOf } from "./terminal.ts";

/** Creates a stream that records what is written to it. */
function fakeStream(properties: Partial<WriteStream>) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  return { stream: { ...properties, write } as unknown as WriteStream, written };
}

const TERMINAL = { isTTY: true, columns: 12, rows: 4 };

test("a terminal has colours, a width and lines that can be drawn anew", () => {
  const { stream } = fakeStream(TERMINAL);
  const { live, width, style } = terminalOf(stream, {});
  expect({ live, width, red: style.red("x") }).toEqual({ live: true, width: 12, red: "\x1b[31mx\x1b[39m" });
});

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }, TERMINAL, true],
  ["a dumb terminal", { TERM: "dumb" }, TERMINAL, false],
  ["a pipe", {}, { isTTY: false }, false],
])("%s means no colours", (_, env, properties, live) => {
  const terminal = terminalOf(fakeStream(properties).stream, env);
  expect({ live: terminal.live, red: terminal.style.red("x") }).toEqual({ live, red: "x" });
});

test("a terminal that reports 0 columns shows whole lines", () => {
  const { stream, written } = fakeStream({ isTTY: true, columns: 0, rows: 0 });
  expect(terminalOf(stream, {}).width).toBe(Infinity);
  new LiveBlock(stream).draw(["one", "two"]);
  expect(written).toEqual(["one\x1b[K\ntwo\x1b[K\n\x1b[J"]);
});

test("a line is one line, whatever is in it", () => {
  const { stream, written } = fakeStream({ isTTY: false });
  terminalOf(stream, {}).print(["a\nb", "\tc"]);
  expect(written).toEqual(["a b\n    c\n"]);
});

test("a block is drawn over the one before, cut to the terminal, and cleared", () => {
  const { stream, written } = fakeStream(TERMINAL);
  const block = new LiveBlock(stream);
  block.draw(["one", "a line that is too long", "three", "four"]);
  block.draw(["one"]);
  block.clear();
  expect(written).toEqual([
    "one\x1b[K\na line tha…\x1b[K\nthree\x1b[K\n\x1b[J",
    "\x1b[3Fone\x1b[K\n\x1b[J",
    "\x1b[1F\x1b[J",
  ]);
});
