import { expect, test } from "vitest";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { COMPARED, run, worldOf } from "@kernelbot/testing/cli/samples.ts";

const PATH = "/compare?a=12&b=13&target=cpu";

async function compare(args: readonly string[], compared = COMPARED) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run({}), []), answers: { [`GET ${PATH}`]: compared } });
  const ended = await place.kernelbot(["compare", ...args], { server: server.url });
  return { ...ended, requests: server.requests.map(({ path }) => path) };
}

test("compare prints the cases, the verdict, the differences of the machines, and a unified diff", async () => {
  const { out, err, code, requests } = await compare(["12", "13", "--target", "cpu"]);
  expect([err, code, requests]).toEqual(["", 0, [PATH]]);
  expect(out).toBe(`\
vectoradd on cpu
A  12 fast.py, ada, mode ranked, 2026-03-01 12:00
B  13 slow.py, ada, mode ranked, 2026-03-01 12:00

case            runtime of A      runtime of B  speedup of A    of B                   A over B
size: 127   8.000 µs ± 1.0 %  10.00 µs ± 1.0 %        2.500×  2.000×  1.250× (1.180× to 1.310×)
size: 4096  9.000 µs ± 1.0 %                 –        2.222×       –                          –

A (12 fast.py) is 1.250× as fast as B (13 slow.py) (95 % interval: 1.180× to 1.310×).
Note: the runs have no common reference, so the times on the same machine are compared.

machine  of A   of B
driver   580.1  none

--- 12 fast.py
+++ 13 slow.py
@@ -1,2 +1,2 @@
 def f():
-    return 1
+    return 2
`);
});

test("compare --json prints the response of the server", async () => {
  const { out } = await compare(["12", "13", "-t", "cpu", "--json"]);
  expect(JSON.parse(out)).toEqual(COMPARED);
});

test("the same source has no diff", async () => {
  expect((await compare(["12", "13", "-t", "cpu"], { ...COMPARED, diff: [] })).out).toContain(
    "\nThe sources are identical.\n",
  );
});

test("an argument that is not a number is a usage error", async () => {
  const { err, code } = await compare(["12", "kernel.py"]);
  expect(code).toBe(2);
  expect(err).toContain('"kernel.py" is not the number of a submission');
});
