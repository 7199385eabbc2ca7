import { expect, test } from "vitest";
import { PYTHON_ONLY, type ProblemSpec, type SubmissionTerms } from "@kernelbot/core";
import { STRANGER, type Viewer } from "../auth/visibility.ts";
import { closeProblem } from "../problems/close.ts";
import { retireProblem } from "../problems/retire.ts";
import { readProblem } from "../problems/problems.ts";
import { inHours, join, made, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { chooseLicence } from "./licence.ts";
import { readTerms } from "./terms.ts";

useScene();
useOrganiser();

async function terms(
  viewer: Viewer,
  name = "triple",
  change: Partial<ProblemSpec> = {},
): Promise<SubmissionTerms | null> {
  const found = await readProblem(database, root, name);
  if (found === null) throw new Error(`there is no ${name}`);
  return readTerms(database, viewer, { ...found.problem.spec, ...change });
}

test("practice problems always accept submissions, under the account's own licence", async () => {
  await chooseLicence(database, ann, { licence: "MIT" });
  const practice = {
    languages: ["py"],
    targets: ["cpu", "H100"],
    ranked: { state: "open", opensAt: null, closesAt: null, targets: null },
    mayTakePart: true,
    profiles: true,
    hasApplication: false,
    competition: null,
  };
  expect(await terms(ann)).toEqual({ ...practice, licence: "MIT" });
  expect(await terms(STRANGER)).toEqual({ ...practice, licence: null });
});

test("a competition's terms state when ranked submissions are accepted and under which licence, to viewers who may see it", async () => {
  const [startsAt, endsAt] = [inHours(1), inHours(2)];
  await made({
    visibility: "closed",
    participants: "members",
    licence: "Apache-2.0",
    targets: ["cpu"],
    startsAt,
    endsAt,
  });
  expect(await terms(ann)).toBeNull();
  expect(await terms(root)).toMatchObject({ mayTakePart: false });
  await join(ann);
  expect(await terms(ann)).toMatchObject({
    ranked: { state: "before", opensAt: startsAt, closesAt: endsAt, targets: ["cpu"] },
    mayTakePart: true,
    competition: { name: "spring", title: "Spring kernels", licence: "Apache-2.0" },
  });
});

test("closed problems accept no ranked submissions, and removed problems accept none", async () => {
  await closeProblem(database, root, "triple");
  expect(await terms(ann)).toMatchObject({ ranked: { state: "after" }, targets: ["cpu", "H100"] });
  await retireProblem(database, root, "triple", { force: false });
  expect(await terms(ann)).toMatchObject({ targets: [] });
});

test("problems with their own harness do not support profiles", async () => {
  const legacy = { harness: "legacy", languages: PYTHON_ONLY } as const;
  expect(await terms(ann, "double", legacy)).toMatchObject({ profiles: false });
});
