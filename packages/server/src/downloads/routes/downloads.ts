/** The programs, and the scripts that install them: `curl -fsSL https://SERVER/install.sh | sh`. */
import { readFile } from "node:fs/promises";
import { KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { sendFile } from "../../http/send-file.ts";
import { CHECKSUMS, listDownloads, type Download } from "../downloads.ts";

const SCRIPTS = ["install.sh"] as const;

export const downloadRoutes: readonly PageRoute[] = [
  ...SCRIPTS.map((name) =>
    page({
      path: `/${name}`,
      access: "anyone",
      async handle({ c, services: { site, downloads } }) {
        const server = originOf(c, site);
        // It becomes part of a script.
        if (!/^https?:\/\/[\w.:[\]-]+$/.test(server)) {
          throw new KernelBotError("bad_request", `${quote(server)} is not an address that the script can contain`);
        }
        const template = await readFile(new URL(`../${name}`, import.meta.url), "utf8");
        const script = template
          .replaceAll("@SERVER@", server)
          .replaceAll("@VERSION@", manifest.version)
          .replaceAll("@CHECKSUMS@", checksumsOf(await listDownloads(downloads)));
        return c.body(script, 200, {
          "content-type": "text/x-shellscript; charset=utf-8",
          "cache-control": "no-cache",
        });
      },
    }),
  ),

  page({
    path: "/downloads/:name",
    access: "anyone",
    params: z.object({ name: z.string() }),
    async handle({ c, params: { name }, services: { downloads } }) {
      const offered = await listDownloads(downloads);
      if (name === CHECKSUMS)
        return c.body(`${checksumsOf(offered)}\n`, 200, { "content-type": "text/plain", "cache-control": "no-cache" });
      const found = offered.find((each) => each.name === name);
      if (found === undefined) {
        throw new KernelBotError("not_found", `no download ${quote(name)}: /downloads/${CHECKSUMS} lists all`);
      }
      return sendFile(c, { ...found, path: name }, found.file, { isImmutable: false });
    },
  }),
];

function checksumsOf(offered: readonly Download[]): string {
  return offered.map(({ sha256, name }) => `${sha256}  ${name}`).join("\n");
}
