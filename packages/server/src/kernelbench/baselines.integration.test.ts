import { expect, test } from "vitest";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listBaselines, putBaseline } from "./baselines.ts";

useScene();

const LAB = {
  id: "lab-2026",
  hardware: "Fast CPU",
  kind: "eager",
  file: { level1: { "2_Two.py": { mean: 0.5 }, "1_One.py": { mean: 1 } } },
} as const;

test("a baseline is stored by id, with its times by key", async () => {
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

test("storing a baseline is idempotent, and rejects other content under the same id", async () => {
  const stored = await putBaseline(database, root, LAB);
  expect(await putBaseline(database, root, LAB)).toEqual(stored);
  await expect(putBaseline(database, root, { ...LAB, kind: "compiled" })).rejects.toThrow(
    'another baseline has the id "lab-2026"; stored baselines cannot be changed, choose another id',
  );
  expect(await listBaselines(database)).toEqual([stored]);
});

test("rejects a file without times, and callers other than organisers", async () => {
  const file = { level1: { "1_One.py": { mean: 0 } } };
  await expect(putBaseline(database, root, { ...LAB, file })).rejects.toThrow("contains no times");
  await expect(putBaseline(database, ann, LAB)).rejects.toMatchObject({ code: "forbidden" });
});
