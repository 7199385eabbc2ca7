/** Folder with the builds of a kernel, as it is published: its files, and the version that its builds state. */
import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { HubFile } from "@kernelbot/dataset";
import { z } from "zod";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { REPOSITORY_PLACEHOLDER } from "./card.ts";

interface PublishedFolder {
  version: number;
  /** Names of the builds, such as `torch-cuda`. */
  variants: string[];
  files: HubFile[];
}

/** The keys of `metadata.json` that publication needs. Builds of the Hub's builder have more. */
const Metadata = z.object({
  version: z.int().nonnegative(),
  digest: z.object({ algorithm: z.literal("sha256"), files: z.record(z.string(), z.string()) }).optional(),
});

/** Files and folders that are published; others, such as a virtual environment, are not. */
const PUBLISHED = ["README.md", "LICENSE", "benchmarks", "build", "receipt", "tests"];

/**
 * Reads the folder, and writes the repository's name into its card.
 * @param repository OWNER/NAME.
 * @throws UsageError if it has no builds, or a build whose files differ from its digest.
 */
export async function readPublishedFolder(folder: string, repository: string): Promise<PublishedFolder> {
  const contents = await readContents(folder);
  const variants = new Map<string, z.infer<typeof Metadata>>();
  for (const [path, bytes] of contents) {
    const variant = /^build\/([^/]+)\/metadata\.json$/.exec(path)?.[1];
    if (variant !== undefined) variants.set(variant, parseMetadata(path, bytes));
  }
  for (const [variant, { digest }] of variants) {
    if (digest !== undefined) checkDigest(`build/${variant}/`, digest.files, contents);
  }
  const [version, ...others] = new Set([...variants.values()].map((metadata) => metadata.version));
  if (version === undefined || !contents.has("README.md")) {
    throw new UsageError(
      `${JSON.stringify(folder)} has no README.md with builds in build/VARIANT; write it with kernelbot export kernel, and build kernels in C++ and CUDA with kernel-builder build-and-copy`,
    );
  }
  if (others.length > 0) throw new UsageError(`the builds in ${JSON.stringify(folder)} state different versions`);
  const card = (contents.get("README.md") ?? Buffer.alloc(0)).toString();
  if (card.includes(REPOSITORY_PLACEHOLDER)) {
    const named = card.replaceAll(REPOSITORY_PLACEHOLDER, repository);
    await writeFile(join(folder, "README.md"), named);
    contents.set("README.md", Buffer.from(named));
  }
  const files = [...contents].map(([path, bytes]) => ({
    path,
    at: join(folder, path),
    sizeBytes: bytes.length,
    sha256: hash("sha256", bytes),
  }));
  return { version, variants: [...variants.keys()], files };
}

async function readContents(folder: string): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
      const [first = ""] = path.split("/");
      if (!entry.isFile() || !PUBLISHED.includes(first) || /(^|\/)(\.|__pycache__\/)|\.pyc$/.test(path)) continue;
      contents.set(path, await readFile(join(folder, path)));
    }
  } catch (error) {
    throw new UsageError(`cannot read ${JSON.stringify(folder)}: ${(error as Error).message}`, { cause: error });
  }
  return contents;
}

function parseMetadata(path: string, bytes: Buffer): z.infer<typeof Metadata> {
  try {
    return Metadata.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    throw new UsageError(`${JSON.stringify(path)} is not valid metadata; export the kernel again`, { cause: error });
  }
}

/** Files of a build that its digest leaves out. */
const UNLISTED = ["metadata.json", "metadata.json.sigstore"];

/** @throws UsageError if a file of a build differs from its digest, is missing, or is not listed. */
function checkDigest(
  build: string,
  digest: Readonly<Record<string, string>>,
  contents: ReadonlyMap<string, Buffer>,
): void {
  const there = [...contents.keys()].flatMap((path) => (path.startsWith(build) ? path.slice(build.length) : []));
  for (const name of new Set([...Object.keys(digest), ...there.filter((each) => !UNLISTED.includes(each))])) {
    const bytes = contents.get(`${build}${name}`);
    if (bytes === undefined || hash("sha256", bytes, "base64") !== digest[name]) {
      throw new UsageError(
        `${JSON.stringify(`${build}${name}`)} differs from the digest in ${build}metadata.json; export the kernel again`,
      );
    }
  }
}
