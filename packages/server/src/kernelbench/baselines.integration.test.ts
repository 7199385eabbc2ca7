import { expect, test } from "vitest";
import { ann, database, root } from "@kernelbot/testing/scene.ts";
import { listBaselines, putBaseline } from "./baselines.ts";

const LAB = {
  id: "lab-2026",
  hardware: "Fast CPU",
  kind: "eager",
  file: { level1: { "2_Two.py": { mean: 0.5 }, "1_One.py": { mean: 1 } } },
} as const;

test("a baseline is kept by its id, its times by key", async () => {
  const stored = await putBaseline(database, root, LAB);
  expect(stored).toEqual({
    id: "lab-2026",
    hardware: "Fast CPU",
    kind: "eager",
    times: [
      { level: 1, problem: 1, fileName: "1_One.py", timeNs: 1_000_000 },
      { level: 1, problem: 2, fileName: "2_Two.py", timeNs: 500_000 },
    ],
  });
  expect(await listBaselines(database)).toEqual([stored]);
});

test("a baseline never changes: the same again is no change, and another is refused", async () => {
  const stored = await putBaseline(database, root, LAB);
  expect(await putBaseline(database, root, LAB)).toEqual(stored);
  await expect(putBaseline(database, root, { ...LAB, kind: "compiled" })).rejects.toThrow(
    'there is another baseline "lab-2026", which stays; choose another id',
  );
  expect(await listBaselines(database)).toEqual([stored]);
});

test("a file without times is refused, and so is one who is no organiser", async () => {
  const file = { level1: { "1_One.py": { mean: 0 } } };
  await expect(putBaseline(database, root, { ...LAB, file })).rejects.toThrow("it holds no time of a problem");
  await expect(putBaseline(database, ann, LAB)).rejects.toMatchObject({ code: "forbidden" });
});
