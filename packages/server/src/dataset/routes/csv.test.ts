import { expect, test } from "vitest";
import { csv } from "./csv.ts";

test("CSV has columns in order, and escapes spreadsheet formulas", () => {
  const record = {
    problem: 'a "b", c',
    target: "cpu",
    submissionId: 1,
    userName: "=1+1",
    submittedAt: "x",
    scoreNs: 2.5,
  };
  expect(csv("records", [record])).toBe(
    'problem,target,submissionId,userName,submittedAt,scoreNs\r\n"a ""b"", c",cpu,1,\'=1+1,x,2.5\r\n',
  );
});
