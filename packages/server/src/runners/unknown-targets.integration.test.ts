import { expect, test } from "vitest";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { unknownTargets } from "./unknown-targets.ts";

useScene();

test("no warning for targets with a leaderboard, known devices, processors and configured names", async () => {
  const names = ["cpu", "H100", "cpu-epyc", "MI300x8", "B200_lab", "T4", "lab"];
  const hardware = new Map([["lab", /^Tenstorrent n300$/]]);
  expect(await unknownTargets(database, names, { hardware })).toEqual([]);
});

test.each([
  ["H10O", "; did you mean H100 or A10 or A100?"],
  ["h100", "; did you mean H100?"],
  ["cqu", "; did you mean cpu?"],
  ["MI30", "; did you mean MI300X or MI210?"],
  ["FPGA", ""],
])("the target %s causes a warning", async (name, hint) => {
  expect(await unknownTargets(database, ["cpu", name], DEFAULT_POLICY)).toEqual([
    `no leaderboard uses the target "${name}", and it is not a known device${hint}`,
  ]);
});

test("the API and the site warn about the targets of a new token", async () => {
  await using server = await openTestServer({ listening: true });
  const client = server.client(await server.token("root", ["admin"]));
  const { warnings } = await client.createToken({ label: "box", scopes: ["runner"], targets: ["cpu", "H10O"] });
  expect(warnings).toEqual([expect.stringContaining('"H10O"')]);
});
