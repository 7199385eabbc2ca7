/** The programs, and the scripts that install them: `curl -fsSL https://SERVER/install.sh | sh`. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { sendFile } from "../../http/send-file.ts";
import { CHECKSUMS, checksumsOf, listDownloads } from "../downloads.ts";
import { installScript, SCRIPTS } from "../scripts.ts";
import { findJoinedWheel } from "../wheel.ts";

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
        const script = await installScript(name, server, await listDownloads(downloads));
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
        return c.body(checksumsOf(offered), 200, { "content-type": "text/plain", "cache-control": "no-cache" });
      const found = offered.find((each) => each.name === name);
      if (found === undefined) {
        throw new KernelBotError("not_found", `no download ${quote(name)}: /downloads/${CHECKSUMS} lists all`);
      }
      const wheel = await findJoinedWheel(downloads, name);
      if (wheel !== null) {
        const headers = {
          "content-type": "application/zip",
          "content-length": String(wheel.sizeBytes),
          "cache-control": "no-cache",
        };
        if (c.req.method === "HEAD") return c.body(null, 200, headers);
        return c.body(Readable.toWeb(wheel.open()) as ReadableStream, 200, headers);
      }
      const file = join(downloads, name);
      const { size: sizeBytes } = await stat(file);
      return sendFile(c, { ...found, path: name, sizeBytes }, file, { isImmutable: false });
    },
  }),
];
