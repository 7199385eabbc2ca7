/** Every mode and every class of failure once, in a real server process with its local runner and the real judge. */
import { resolve } from "node:path";
import { createClient, type Client } from "@kernelbot/api";
import type { Mode } from "@kernelbot/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type RunningServer } from "../scripts/processes.ts";

let server: RunningServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ problems: resolve(import.meta.dirname, "problems"), localRunner: "cpu" });
  client = createClient({ server: server.url, token: server.token });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Submits a kernel for `double` and returns its run once it is done. */
async function judge(body: string, mode: Mode = "test", head = "") {
  const source = `import os\nimport torch\n${head}\ndef custom_kernel(data):\n    x, out = data\n    ${body}\n`;
  const { id } = await client.submit({ board: "double", targets: ["cpu"], mode, fileName: "kernel.py", source });
  let last = 0;
  for await (const { id: event } of client.events(id)) last = event;
  expect(last).toBeGreaterThan(0);
  const [run] = (await client.submission(id)).runs;
  return run;
}

test.for(["test", "benchmark", "ranked", "profile"] as const)(
  "a correct kernel passes in the mode %s",
  async (mode) => {
    const run = await judge("return torch.add(x, x, out=out)", mode);
    expect(run).toMatchObject({ verdict: "passed", failureClass: null });
    if (mode === "ranked") {
      const { rows } = await client.board("double", "cpu");
      expect(rows).toHaveLength(1);
    }
  },
);

test.for([
  ["compile_error", "return out.copy_(x +"],
  ["crash", "raise RuntimeError('no kernel today')"],
  ["wrong_result", "return out.copy_(x)"],
  ["timeout", "while True: pass"],
  ["out_of_memory", "return torch.ones(10 << 30, dtype=torch.uint8)"],
  ["rejected", "for _ in range(64): os.write(1, bytes(1 << 20))"],
] as const)("a kernel fails with the class %s", async ([failureClass, body]) => {
  expect(await judge(body)).toMatchObject({ verdict: "failed", failureClass });
});
