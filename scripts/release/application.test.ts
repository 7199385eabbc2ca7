import { globSync } from "node:fs";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { buildApplication } from "./application.ts";
import { COMMAND_LINE, SERVER } from "./applications.ts";
import { ROOT } from "./bundle.ts";

test("a server's package is not built without the downloads that it offers", async () => {
  const output = await mkdtemp(join(inject("scratch"), "kernelbot-build-"));
  await expect(buildApplication(SERVER, output)).rejects.toThrow(
    `kernelbot-server contains its downloads, but ${output}/downloads has no SHA256SUMS`,
  );
  expect(await readdir(output)).toEqual([]);
});

test("a server's package contains the documentation of each optional feature", () => {
  const folders = globSync("{features/*/,}docs", { cwd: ROOT });
  expect(folders.length).toBeGreaterThan(1);
  expect(SERVER.files).toEqual(expect.arrayContaining(folders));
});

test("a program is in ASCII, for which V8 needs half the memory", async () => {
  const dist = join(
    await buildApplication(COMMAND_LINE, await mkdtemp(join(inject("scratch"), "kernelbot-build-"))),
    "dist",
  );
  for (const name of (await readdir(dist)).filter((each) => each.endsWith(".js"))) {
    expect.soft((await readFile(join(dist, name), "utf8")).match(/[^\0-\x7f].*/)?.[0], name).toBeUndefined();
  }
});
