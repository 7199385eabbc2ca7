/**
 * What is for operators and their programs alone, at an address of its own: the site's proxy never leads there, so that
 * nothing of it is public by mistake.
 */
import { collectDefaultMetrics } from "prom-client";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { registry } from "../observe/metrics.ts";
import type { Health } from "../operations/health.ts";
import { readMetrics } from "../operations/measures.ts";
import type { HttpEnv } from "./faces.ts";
import { mountHealth } from "./health.ts";

/** Makes the app; from then on the process is measured too. */
export function createOperatorsApp(database: Database, health: Health, log: Logger): Hono<HttpEnv> {
  if (registry.getSingleMetric("process_cpu_user_seconds_total") === undefined) {
    collectDefaultMetrics({ register: registry });
  }
  const app = new Hono<HttpEnv>();
  mountHealth(app, health);
  app.get("/metrics", async (c) => {
    return c.body(await readMetrics(database, log), 200, { "content-type": registry.contentType });
  });
  return app;
}
