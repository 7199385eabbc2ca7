/** Error messages of rejected submissions, against a real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { workshop } from "../testing/kernelbot.ts";

let testServer: TestServer;
let token: string;
beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  token = await testServer.token("ann");
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function refusal(args: readonly string[], given: string): Promise<string> {
  using place = workshop();
  place.file("kernel.py", "def custom_kernel(data): ...\n");
  const call = { server: testServer.url, env: { KERNELBOT_TOKEN: given } };
  const { code, err } = await place.kernelbot(["submit", "kernel.py", ...args], call);
  expect(code).toBe(2);
  return err.replace(/\s+/g, " ");
}

test("a wrong board, a wrong target and a bad token are reported together", async () => {
  const all = await refusal(["--board", "duoble", "--target", "H1000"], "kb_wrong");
  expect(all).toMatch(/token.*there is no public board "duoble".*no public board has the target "H1000"/);
  const targetToo = await refusal(["--board", "double", "--target", "H1000"], "kb_wrong");
  expect(targetToo).toMatch(/token.*the board double has no target "H1000"; it has/);
  const withoutTarget = await refusal(["--board", "duoble"], "kb_wrong");
  expect(withoutTarget).toMatch(/token.*there is no public board "duoble"/);
});

test("with a good token the board and the target are reported together, and one fault is reported alone", async () => {
  const both = await refusal(["--board", "duoble", "--target", "H1000"], token);
  expect(both).toMatch(/there is no board "duoble"; did you mean double\?; and no public board has the target "H1000"/);
  const one = await refusal(["--board", "duoble", "--target", "cpu"], token);
  expect(one).toBe('kernelbot: there is no board "duoble"; did you mean double? ');
});
