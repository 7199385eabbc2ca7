/** API endpoints that export and erase what the server stores about a person. */
import { Readable } from "node:stream";
import { api } from "@kernelbot/api";
import type { Context } from "hono";
import { endpoint } from "../../http/endpoint.ts";
import type { HttpEnv } from "../../services.ts";
import { eraseAccount, eraseOwnAccount, previewErasure, previewOwnErasure } from "../erase.ts";
import { exportAccount, exportOwnAccount } from "../export.ts";

export const personalDataEndpoints = [
  endpoint(api.personalData.export, async ({ c, services, identity }) =>
    sendExport(c, await exportOwnAccount(services, identity)),
  ),

  endpoint(api.personalData.previewErasure, async ({ c, services, identity }) =>
    c.json(await previewOwnErasure(services, identity)),
  ),

  endpoint(api.personalData.erase, async ({ c, services, identity, body }) =>
    c.json(await eraseOwnAccount(services, identity, body)),
  ),

  endpoint(api.accounts.export, async ({ c, services, identity, params }) =>
    sendExport(c, await exportAccount(services, identity, params.name)),
  ),

  endpoint(api.accounts.previewErasure, async ({ c, services, identity, params }) =>
    c.json(await previewErasure(services, identity, params.name)),
  ),

  endpoint(api.accounts.erase, async ({ c, services, identity, params, body }) =>
    c.json(await eraseAccount(services, identity, params.name, body)),
  ),
];

/** A download that takes longer ends. */
const DOWNLOAD_MS = 3600_000;

/** Responds with an export, which is made while it is downloaded. */
export function sendExport(c: Context<HttpEnv>, bytes: AsyncGenerator<Uint8Array, void>): Response {
  const name = `kernelbot-account-${new Date().toISOString().slice(0, 10)}.zip`;
  return c.body(
    Readable.toWeb(Readable.from(bytes, { signal: AbortSignal.timeout(DOWNLOAD_MS) })) as ReadableStream,
    200,
    {
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-store",
    },
  );
}
