/** The documentation that the server serves: that of the platform and of all features, rendered once per process. */
import { readdir, readFile } from "node:fs/promises";
import { setImmediate as letOthersRun } from "node:timers/promises";
import { extname } from "node:path";
import { renderDocument, type DocumentationPage } from "@kernelbot/web";
import { documentationFolders, ROOT } from "./folders.ts";
import { createSearch, type Search } from "./search.ts";

/** Media types of the files that pages show or link to. */
const MEDIA_TYPES: Record<string, string> = {
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

interface DocumentationFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Documentation {
  /** Pages by path below `/docs/`. */
  pages: ReadonlyMap<string, DocumentationPage>;
  /** Other files by path below `/docs/`. */
  files: ReadonlyMap<string, DocumentationFile>;
  search: Search;
}

let documentation: Promise<Documentation> | undefined;

/** Returns the documentation. The first call reads the files and renders the pages, which takes less than a second. */
export function getDocumentation(): Promise<Documentation> {
  return (documentation ??= readDocumentation());
}

async function readDocumentation(): Promise<Documentation> {
  const pages = new Map<string, DocumentationPage>();
  const files = new Map<string, DocumentationFile>();
  for (const folder of documentationFolders()) {
    const place = new URL(`${folder}/`, ROOT);
    for (const file of (await readdir(place, { recursive: true })).toSorted()) {
      const type = MEDIA_TYPES[extname(file)];
      if (file.endsWith(".md")) {
        const page = await renderDocument(`${folder}/${file}`, await readFile(new URL(file, place), "utf8"));
        pages.set(page.path, page);
        await letOthersRun();
      } else if (type !== undefined) {
        files.set(file, { type, bytes: Uint8Array.from(await readFile(new URL(file, place))) });
      }
    }
  }
  return { pages, files, search: createSearch([...pages.values()]) };
}
