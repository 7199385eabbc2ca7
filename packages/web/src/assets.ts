/** What the pages load: built once, when the server starts, and served from memory. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { ASSET_PATHS } from "./layout.ts";

export interface Asset {
  type: string;
  text: string;
}

/** The assets by their addresses. @throws when an island does not compile. */
export async function buildAssets(): Promise<Map<string, Asset>> {
  const [style, icon, live] = await Promise.all([
    read("assets/style.css"),
    read("assets/icon.svg"),
    bundle("islands/live.ts"),
  ]);
  return new Map([
    [ASSET_PATHS.style, { type: "text/css; charset=utf-8", text: style }],
    [ASSET_PATHS.icon, { type: "image/svg+xml", text: icon }],
    [ASSET_PATHS.live, { type: "text/javascript; charset=utf-8", text: live }],
  ]);
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function read(name: string): Promise<string> {
  return readFile(pathOf(name), "utf8");
}

async function bundle(name: string): Promise<string> {
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false } as const;
  const result = await build({ ...options, entryPoints: [pathOf(name)] });
  // esbuild keeps a process for the next build; there is none.
  await stop();
  return result.outputFiles.map((file) => file.text).join("");
}
