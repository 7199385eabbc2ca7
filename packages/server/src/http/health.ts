/** Whether the process lives, and whether it should be sent requests. */
import type { Hono } from "hono";
import type { Health } from "../operations/health.ts";
import type { HttpEnv } from "./faces.ts";

/** A proxy asks for `/readyz`, what restarts dead processes for `/healthz`: a database that is away mends by no restart. */
export function mountHealth(app: Hono<HttpEnv>, health: Health): void {
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/readyz", async (c) => {
    const readiness = await health.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503, { "cache-control": "no-store" });
  });
}
