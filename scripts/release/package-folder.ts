/** Folders of packages, which `npm pack` takes as they are. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./bundle.ts";

/** What the build uses of a `package.json`. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export async function readManifest(workspace: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(workspace, "package.json"), "utf8")) as Manifest;
}

/**
 * Returns the fields that every published package has. The repository is that of the workflow which publishes it, since
 * the registry compares it with the certificate of origin.
 */
export function published({ name, version, description, license }: Manifest): object {
  const repository = process.env.GITHUB_REPOSITORY;
  return {
    name,
    version,
    description,
    license,
    ...(repository === undefined ? {} : { repository: `github:${repository}` }),
    type: "module",
  };
}

/** Writes the package's `package.json`, with the licence next to it. */
export async function writeManifest(folder: string, manifest: object): Promise<void> {
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
