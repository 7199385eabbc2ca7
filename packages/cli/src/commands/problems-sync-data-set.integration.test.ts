/** Synchronisation of FlashInfer Trace data sets, and submission of their solutions. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Solution, solutionToSubmission, SyncReport } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { scaleSolution, writeDataSet } from "@kernelbot/testing/flashinfer-trace.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { expect, test } from "vitest";

test("a data set is synced from a folder and from a repository", async () => {
  await using testServer = await openTestServer({ listening: true });
  const env = { KERNELBOT_TOKEN: await testServer.token("root", ["admin", "read", "submit"]) };
  using place = workshop();
  const root = join(place.folder, "data");
  writeDataSet(root);
  const sync = async (from: string) => {
    const args = ["problems", "sync", "--format", "flashinfer-trace", from, "--json"];
    const { out, err } = await place.kernelbot(args, { server: testServer.url, env });
    expect(err.replace(/^Fetching.*\n/, "")).toBe("");
    return SyncReport.parse(JSON.parse(out)).problems.map(({ name, outcome, why }) => ({ name, outcome, why }));
  };
  expect(await sync(root)).toEqual([
    { name: "ragged-sum-v1", outcome: "new", why: null },
    { name: "scale_rows_k64", outcome: "new", why: null },
  ]);
  const client = testServer.client(env.KERNELBOT_TOKEN);
  const request = { board: "scale_rows_k64", targets: ["cpu"], mode: "test" as const };
  const source = JSON.stringify(scaleSolution());
  const { id, fileName } = await client.submit({ ...request, fileName: "v1.json", source });
  expect(fileName).toBe("v1.py");
  expect(await client.source(id)).toBe(solutionToSubmission(Solution.parse(scaleSolution())));
  const invalid = client.submit({ ...request, fileName: "v1.json", source: "{}" });
  await expect(invalid).rejects.toThrow("v1.json: name: is missing");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  expect(await sync(root)).toMatchObject([{ outcome: "unchanged" }, { outcome: "unchanged" }]);
  expect((await sync(`file://${root}`)).map(({ name }) => name)).toEqual(["ragged-sum-v1", "scale_rows_k64"]);
});
