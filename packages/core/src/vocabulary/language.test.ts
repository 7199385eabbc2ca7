import { expect, test } from "vitest";
import { languageOf } from "./language.ts";
import { languageFor } from "../submission/submission.ts";

test.each([
  ["fast.py", "py"],
  ["fast.cpp", "cpp"],
  ["fast.v2.CC", "cpp"],
  ["fast.cu", "cu"],
  ["fast.rs", null],
  ["cpp", null],
])("the file %s is in the language %s", (fileName, language) => {
  expect(languageOf(fileName)).toBe(language);
});

const matmul = {
  name: "matmul",
  languages: { py: {}, cpp: { flags: [] }, cu: { flags: [] } },
  harness: "judge" as const,
};

test.each([
  ["fast.py", ["cpu", "H100"], "py"],
  ["fast.cpp", ["cpu", "cpu-arm"], "cpp"],
  ["fast.cu", ["H100"], "cu"],
])("%s is accepted for targets %s", (fileName, targets, language) => {
  expect(languageFor(matmul, fileName, targets)).toBe(language);
});

test.each([
  ["fast.rs", ["cpu"], 'matmul takes .py and .cpp files on cpu; the extension of "fast.rs" is not accepted'],
  ["fast.cpp", ["cpu", "H100"], 'matmul takes .py and .cu files on H100; the extension of "fast.cpp" is not accepted'],
  ["fast.cu", ["cpu"], 'matmul takes .py and .cpp files on cpu; the extension of "fast.cu" is not accepted'],
])("%s on %s is rejected with the accepted extensions", (fileName, targets, sentence) => {
  expect(() => languageFor(matmul, fileName, targets)).toThrow(sentence);
});

test("a language that the problem does not name is rejected", () => {
  expect(() => languageFor({ ...matmul, languages: { py: {} } }, "fast.cpp", ["cpu"])).toThrow(
    'matmul takes .py files on cpu; the extension of "fast.cpp" is not accepted',
  );
});

test("a legacy harness accepts its language on every target", () => {
  const harnessed = { ...matmul, languages: { cpp: { flags: [] } }, harness: "legacy" as const };
  expect(languageFor(harnessed, "fast.cpp", ["H100"])).toBe("cpp");
});
