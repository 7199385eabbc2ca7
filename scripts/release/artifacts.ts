/** Writes what a release publishes. */
import { execFile } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { CHECKSUMS } from "../../packages/server/src/downloads/downloads.ts";
import { COMMAND_LINE, RUNNER, SERVER } from "./applications.ts";
import type { Build } from "./build.ts";
import { ROOT } from "./bundle.ts";
import { pack, writeChecksums } from "./downloads.ts";
import type { Platform } from "./executable.ts";
import { writeServerArchives } from "./server-archive.ts";

/** Name of the list of the npm packages that the published ones contain, in the format CycloneDX. */
export const BILL_OF_MATERIALS = "kernelbot.cdx.json";

/**
 * Replaces the content of a folder by the npm packages, the executables and all else that servers offer, archives of the
 * server, the bill of materials and the checksums.
 */
export async function writeArtifacts(
  { libraries, server, downloads }: Build,
  platforms: readonly Platform[],
  { folder, begin }: { folder: string; begin: (step: string) => void },
): Promise<void> {
  begin("archives of the packages");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // The downloads include the packages of the command line and of the runner.
  await cp(downloads, folder, { recursive: true, filter: (source) => !source.endsWith(CHECKSUMS) });
  for (const each of [...libraries, server]) await pack(each, folder);
  await writeServerArchives(server, platforms, { folder, begin });
  begin("bill of materials and checksums");
  await writeFile(join(folder, BILL_OF_MATERIALS), await billOfMaterials());
  await writeChecksums(folder);
}

const bomSchema = z.looseObject({
  serialNumber: z.unknown(),
  metadata: z.looseObject({ timestamp: z.unknown(), component: z.looseObject({}) }),
});

/** Returns what the lockfile has for the programs, without what differs between two builds. */
async function billOfMaterials(): Promise<string> {
  const workspaces = [COMMAND_LINE, RUNNER, SERVER].map(({ workspace }) => `--workspace=${workspace}`);
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", ...workspaces];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const { serialNumber: _, ...bom } = bomSchema.parse(JSON.parse(stdout));
  const { timestamp: __, ...metadata } = bom.metadata;
  // npm names the component after the folder of the checkout.
  const component = { ...metadata.component, name: "kernelbot" };
  return `${JSON.stringify({ ...bom, metadata: { ...metadata, component } }, null, 2)}\n`;
}
