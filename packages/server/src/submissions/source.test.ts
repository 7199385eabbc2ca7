import { MAX_SOURCE_BYTES } from "@kernelbot/core";
import { expect, test } from "vitest";
import { checkFileName, checkSource, decodeSource } from "./source.ts";

test("returns UTF-8 text unchanged", () => {
  expect(decodeSource(new TextEncoder().encode("x = 'µ'\r\n"))).toBe("x = 'µ'\r\n");
});

test.each([
  ["binary", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0), 422, "the file is binary"],
  ["not UTF-8", Uint8Array.of(0xe4, 0xf6), 422, "the file is not UTF-8 text"],
  ["too large", new Uint8Array(MAX_SOURCE_BYTES + 1).fill(0x20), 413, "the file has 976.6 KiB; at most"],
])("rejects a file that is %s with an explanation", (_, bytes, status, sentence) => {
  expect(() => decodeSource(bytes)).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(sentence) as unknown }),
  );
});

test.each([
  ["empty", "", 422, "the file is empty"],
  ["blank", " \n\t\n", 422, "the file is empty"],
  ["with a NUL", "x\0", 422, "the file is binary"],
  ["with an unpaired surrogate", "x = '\ud800'", 422, "an unpaired surrogate"],
  ["too large in bytes though not in characters", "µ".repeat(MAX_SOURCE_BYTES / 2 + 1), 413, "the file has"],
])("rejects a source that is %s with an explanation", (_, source, status, sentence) => {
  expect(() => checkSource(source)).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(sentence) as unknown }),
  );
});

test("accepts a source of exactly the maximum size", () => {
  expect(() => checkSource("x".repeat(MAX_SOURCE_BYTES))).not.toThrow();
});

test.each(["../kernel.py", "a/b.py", "a\\b.py", "..", "kernel\n.py", "kernel\x1b[2J.py", "\u202eyp.lenrek", " "])(
  "rejects the file name %j",
  (name) => {
    expect(() => checkFileName(name)).toThrow(/^the file name ".*" (must not contain|is blank)/);
  },
);

test.each(["kernel.py", "mein Kern (2).cu", "核.py"])("accepts the file name %j", (name) => {
  expect(() => checkFileName(name)).not.toThrow();
});
