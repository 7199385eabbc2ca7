/** Error messages of rejected submissions, against a real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

let testServer: TestServer;
let token: string;
beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  token = await testServer.token("ann");
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function errorOf(args: readonly string[], token: string): Promise<string> {
  using place = workshop();
  place.file("kernel.py", "def custom_kernel(data): ...\n");
  const call = { server: testServer.url, env: { KERNELBOT_TOKEN: token } };
  const { code, err } = await place.kernelbot(["submit", "kernel.py", ...args], call);
  expect(code).toBe(2);
  return err.replace(/\s+/g, " ");
}

test("an unknown leaderboard, an unknown target and an invalid token are reported together", async () => {
  const all = await errorOf(["--board", "duoble", "--target", "H1000"], "kb_wrong");
  expect(all).toMatch(/token.*public leaderboard "duoble" not found.*no public leaderboard has the target "H1000"/);
  const targetToo = await errorOf(["--board", "double", "--target", "H1000"], "kb_wrong");
  expect(targetToo).toMatch(/token.*leaderboard double has no target "H1000"; its targets: /);
  const withoutTarget = await errorOf(["--board", "duoble"], "kb_wrong");
  expect(withoutTarget).toMatch(/token.*public leaderboard "duoble" not found/);
});

test("with a valid token the leaderboard and the target are reported together, and a single fault alone", async () => {
  const both = await errorOf(["--board", "duoble", "--target", "H1000"], token);
  expect(both).toMatch(
    /board "duoble" not found; did you mean double\?; and no public leaderboard has the target "H1000"/,
  );
  const one = await errorOf(["--board", "duoble", "--target", "cpu"], token);
  expect(one).toBe('kernelbot: board "duoble" not found; did you mean double? ');
});
