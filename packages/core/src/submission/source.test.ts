import { expect, test } from "vitest";
import { decodeSource, MAX_SOURCE_BYTES, parseSource } from "./source.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));

test.each([
  ["with LF line ends", "x = 'µ'\n\ny = 1\n"],
  ["with CRLF line ends", "x = 'µ'\r\n\r\ny = 1\r\n"],
  ["with CR line ends", "x = 'µ'\r\ry = 1\r"],
  ["with a byte order mark and CRLF line ends", "\ufeffx = 'µ'\r\n\r\ny = 1\r\n"],
])("a file %s is the same source as text and as bytes", (_, file) => {
  expect([parseSource(file), parseSource(bytes(file))]).toEqual(Array(2).fill("x = 'µ'\n\ny = 1\n"));
});

test("a byte order mark within the text is part of the source", () => {
  expect(parseSource("a = '\ufeff'\n")).toBe("a = '\ufeff'\n");
});

test.each([
  ["little-endian UTF-16", utf16("x"), 422, "the file is UTF-16 text: its first bytes are FF FE; save it as UTF-8"],
  ["big-endian UTF-16", utf16("x").map((_, at, all) => all[at ^ 1] ?? 0), 422, "its first bytes are FE FF"],
  ["binary", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0), 422, "the file is binary"],
  ["binary and not UTF-8", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0xff), 422, "the file is binary"],
  ["not UTF-8", Uint8Array.of(0xe4, 0xf6), 422, "the file is not UTF-8 text"],
  ["too large", new Uint8Array(MAX_SOURCE_BYTES + 1).fill(0x20), 413, "the file is larger than 1,000,000 bytes"],
  ["too large in bytes though not in characters", "µ".repeat(MAX_SOURCE_BYTES / 2 + 1), 413, "the file is larger"],
  ["empty", "", 422, "the file is empty"],
  ["a byte order mark alone", "\ufeff", 422, "the file is empty"],
  ["blank", " \n\t\n", 422, "the file is empty"],
  ["text with a NUL", "x\0", 422, "the file is binary"],
  ["text with an unpaired surrogate", "x = '\ud800'", 422, "an unpaired surrogate"],
])("rejects a source that is %s with an explanation", (_, source, status, sentence) => {
  expect(() => parseSource(source)).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(sentence) as unknown }),
  );
});

test("accepts a source of exactly the maximum size, and an empty one from an archive", () => {
  expect(parseSource("x".repeat(MAX_SOURCE_BYTES))).toHaveLength(MAX_SOURCE_BYTES);
  expect(decodeSource("")).toBe("");
});
