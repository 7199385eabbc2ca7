import { expect, test } from "vitest";
import { languageOf } from "../vocabulary/language.ts";
import { checkFileName, portableFileName } from "./file-name.ts";

test.each([
  "../kernel.py",
  "a/b.py",
  "a\\b.py",
  "..",
  "kernel\n.py",
  "kernel\x1b[2J.py",
  "\u202eyp.lenrek",
  " ",
  `${"a".repeat(198)}.py`,
])("rejects the file name %j", (name) => {
  expect(() => checkFileName(name)).toThrow(/^the file name ".*" (must not contain|is blank|is longer than)/);
});

test("a refused name is quoted with its invisible marks escaped", () => {
  expect(() => checkFileName("kernel\u202eyp.txt.py")).toThrow('the file name "kernel\\u202eyp.txt.py" must not');
});

test.each([
  "kernel.PY",
  "kernel (1).py",
  "ядро.py",
  "カーネルガ.py".normalize("NFD"),
  "aux.py",
  "-rf.py",
  "$(id).py",
  "%2e%2e%2fx.py",
  "<b>.py",
  "x.tar.py",
  "emoji🍿.py",
  `${"a".repeat(196)}.py`,
])("accepts the file name %j", (name) => {
  expect(() => checkFileName(name)).not.toThrow();
  expect(languageOf(name)).toBe("py");
});

test.each(["kernel.py.txt", "kernel", ".py", "folder/.py", "submission.py "])("%j has no language", (name) => {
  expect(languageOf(name)).toBeNull();
});

test.each([
  ["kernel (1).py", "kernel (1).py"],
  ["ядро.profile", "ядро.profile"],
  ["aux.py", "_aux.py"],
  ["CON", "_CON"],
  ["com1.profile", "_com1.profile"],
  ["console.py", "console.py"],
  ["../../etc/passwd", ".._.._etc_passwd"],
  ["C:\\x.py", "C__x.py"],
  ["a\nb.py", "a_b.py"],
  ["name. ", "name_"],
  ["..", "_"],
  ["", "_"],
  ["emoji🍿.py", "emoji🍿.py"],
  [`${"я".repeat(197)}.py`, `${"я".repeat(126)}.py`],
  [`${"🍿".repeat(90)}.profile`, `${"🍿".repeat(61)}.profile`],
])("writes the name %j to disk as %j", (name, written) => {
  expect(portableFileName(name)).toBe(written);
});
