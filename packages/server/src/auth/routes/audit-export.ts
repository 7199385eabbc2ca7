/** Export of the audit log: the endpoint of the API, and the download of the administration page. */
import { api } from "@kernelbot/api";
import { AuditExport } from "@kernelbot/core";
import type { Context } from "hono";
import { endpoint } from "../../http/endpoint.ts";
import { optional } from "../../http/input.ts";
import { page } from "../../http/page.ts";
import type { HttpEnv, Services } from "../../services.ts";
import { exportAudit } from "../audit-export.ts";
import type { Identity } from "../identity.ts";

export const auditExportEndpoint = endpoint(api.accounts.exportAudit, ({ c, services, identity, query }) =>
  sendExport(c, services, identity, query),
);

const { since, until } = AuditExport.shape;

export const auditExportPage = page({
  path: "/admin/audit/export",
  access: "administrator",
  // Fields of the form that were left empty.
  query: AuditExport.extend({ since: optional(since), until: optional(until) }),
  handle: ({ c, services, identity, query }) => sendExport(c, services, identity, query),
});

async function sendExport(
  c: Context<HttpEnv>,
  { database }: Services,
  identity: Identity,
  request: AuditExport,
): Promise<Response> {
  const csv = request.format === "csv";
  return c.body(await exportAudit(database, identity, request), 200, {
    "content-type": csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    "content-disposition": `attachment; filename="audit.${request.format}"`,
    "cache-control": "private, no-store",
  });
}
