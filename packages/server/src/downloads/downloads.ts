/** The programs that this server offers, so that a client has the version of its server. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Folder of the programs, which a build writes and a published server contains. */
export const DOWNLOADS = resolve(import.meta.dirname, "../../../../dist/downloads");

/** Name of the file with the checksums, in the format of sha256sum. */
export const CHECKSUMS = "SHA256SUMS";

export interface Download {
  name: string;
  sha256: string;
}

/** Returns the downloads in a folder that a build wrote; none where nothing was built. */
export async function listDownloads(folder: string): Promise<Download[]> {
  const checksums = await readFile(join(folder, CHECKSUMS), "utf8").catch(() => "");
  return checksums
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [sha256 = "", name = ""] = line.split(/ +/);
      return { name, sha256 };
    });
}

/** Formats the checksums of downloads as the file `SHA256SUMS`. */
export function checksumsOf(offered: readonly Download[]): string {
  return offered.map(({ sha256, name }) => `${sha256}  ${name}\n`).join("");
}
