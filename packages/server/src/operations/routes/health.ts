/** Liveness and readiness endpoints. */
import type { Hono } from "hono";
import type { Health } from "../health.ts";
import type { HttpEnv } from "../../services.ts";

/**
 * Proxies use `/readyz`; process supervisors use `/healthz`, which stays 200 while the database is unavailable, because
 * a restart would not fix that.
 */
export function mountHealth(app: Hono<HttpEnv>, health: Health): void {
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/readyz", async (c) => {
    const readiness = await health.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503, { "cache-control": "no-store" });
  });
}
