/** Reads a suite, as written by `inspect`, from standard input and writes its problems, by key, to standard output. */
import { text } from "node:stream/consumers";
import { SuiteUpload, suiteKeyText, suiteProblem } from "@kernelbot/core";
import { readSuiteProblemFiles } from "@kernelbot/tester/suite-problem-files";

const files = readSuiteProblemFiles();
const upload = SuiteUpload.parse(JSON.parse(await text(process.stdin)));
console.log(
  JSON.stringify(
    Object.fromEntries(upload.problems.map((source) => [suiteKeyText(source), suiteProblem(upload, source, files)])),
  ),
);
