import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { findJoinedWheel } from "../../packages/server/src/downloads/wheel.ts";
import { writeWheel, writeWheelParts } from "./wheel.ts";

test("a server that has the parts of a wheel and the executable joins the wheel, byte for byte", async () => {
  const downloads = await mkdtemp(join(tmpdir(), "kernelbot-downloads-"));
  const executable = Buffer.from("executable ".repeat(10_000));
  await writeFile(join(downloads, "kernelbot-linux-x64.gz"), gzipSync(executable, { level: 9 }));
  await writeWheel(join(downloads, "kernelbot-linux-x64.gz"), "linux-x64", downloads);
  const name = (await readdir(downloads)).find((each) => each.endsWith(".whl")) ?? "";
  const wheel = await readFile(join(downloads, name));
  expect(Buffer.from(unzipSync(wheel)["kernelbot_runner/bin/kernelbot-runner"] ?? []).equals(executable)).toBe(true);

  const server = join(downloads, "server");
  await mkdir(server);
  await writeWheelParts(downloads, server);
  expect((await stat(join(server, `${name}.json`))).size).toBeLessThan(20_000);
  await writeFile(join(server, "kernelbot-linux-x64.gz"), gzipSync(executable, { level: 9 }));
  const joined = await findJoinedWheel(server, name);
  expect(joined?.sizeBytes).toBe(wheel.length);
  expect(joined && (await buffer(joined.open())).equals(wheel)).toBe(true);
  expect(await findJoinedWheel(server, "other.whl")).toBeNull();
});
