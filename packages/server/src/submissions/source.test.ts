import { MAX_SOURCE_BYTES } from "@kernelbot/core";
import { expect, test } from "vitest";
import { checkFileName, checkSource, decodeSource } from "./source.ts";

test("a text in UTF-8 is taken as it is", () => {
  expect(decodeSource(new TextEncoder().encode("x = 'µ'\r\n"))).toBe("x = 'µ'\r\n");
});

test.each([
  ["binary", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0), 422, "the file is binary"],
  ["not UTF-8", Uint8Array.of(0xe4, 0xf6), 422, "the file is not UTF-8 text"],
  ["too large", new Uint8Array(MAX_SOURCE_BYTES + 1).fill(0x20), 413, "the file has 976.6 KiB; at most"],
])("a file that is %s is refused with a sentence", (_, bytes, status, sentence) => {
  expect(() => decodeSource(bytes)).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(sentence) as unknown }),
  );
});

test.each([
  ["empty", "", 422, "the file is empty"],
  ["blank", " \n\t\n", 422, "the file is empty"],
  ["with a NUL", "x\0", 422, "the file is binary"],
  ["with half a surrogate pair", "x = '\ud800'", 422, "half a surrogate pair"],
  ["too large in bytes though not in characters", "µ".repeat(MAX_SOURCE_BYTES / 2 + 1), 413, "the file has"],
])("a source that is %s is refused with a sentence", (_, source, status, sentence) => {
  expect(() => checkSource(source)).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(sentence) as unknown }),
  );
});

test("a source of exactly the largest size is taken", () => {
  expect(() => checkSource("x".repeat(MAX_SOURCE_BYTES))).not.toThrow();
});

test.each(["../kernel.py", "a/b.py", "a\\b.py", "..", "kernel\n.py", "kernel\x1b[2J.py", "\u202eyp.lenrek", " "])(
  "the file name %j is refused",
  (name) => {
    expect(() => checkFileName(name)).toThrow(/^the file name ".*" (must not contain|is blank)/);
  },
);

test.each(["kernel.py", "mein Kern (2).cu", "核.py"])("the file name %j is taken", (name) => {
  expect(() => checkFileName(name)).not.toThrow();
});
