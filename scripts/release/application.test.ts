import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildApplication } from "./application.ts";
import { SERVER } from "./applications.ts";

test("a server's package is not built without the downloads that it offers", async () => {
  const output = await mkdtemp(join(tmpdir(), "kernelbot-build-"));
  await expect(buildApplication(SERVER, output)).rejects.toThrow(
    `kernelbot-server contains its downloads, but ${output}/downloads has no SHA256SUMS`,
  );
  expect(await readdir(output)).toEqual([]);
});
