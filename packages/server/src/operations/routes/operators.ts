/**
 * The app for operators: metrics and health, on a separate address. The site's proxy never forwards to that address, so
 * that nothing of it becomes public by mistake.
 */
import { collectDefaultMetrics } from "prom-client";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { Database } from "../../db/database.ts";
import { registry } from "../../observe/metrics.ts";
import type { Health } from "../health.ts";
import { readMetrics } from "../measures.ts";
import type { HttpEnv } from "../../services.ts";
import { mountHealth } from "./health.ts";

/** Creates the app and starts collecting metrics of the process. */
export function createOperatorsApp(database: Database, health: Health, log: Logger, dataDir: string): Hono<HttpEnv> {
  if (registry.getSingleMetric("process_cpu_user_seconds_total") === undefined) {
    collectDefaultMetrics({ register: registry });
  }
  const app = new Hono<HttpEnv>();
  mountHealth(app, health);
  app.get("/metrics", async (c) => {
    return c.body(await readMetrics(database, log, dataDir), 200, { "content-type": registry.contentType });
  });
  return app;
}
