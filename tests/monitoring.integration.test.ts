/** The alerts and the dashboard of deploy/monitoring. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collectDefaultMetrics, Registry } from "prom-client";
import { expect, test } from "vitest";
import { registry } from "@kernelbot/server/src/observe/metrics.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const RULES = read("deploy/monitoring/alerts.yml");
const ALERTS = Array.from(RULES.matchAll(/- alert: (\w+)/g), ([, name]) => name);

test("every alert has an entry in the runbook, and every entry its alert", () => {
  const entries = Array.from(read("docs/guides/runbook.md").matchAll(/^## (\w+)$/gm), ([, name]) => name);
  expect(ALERTS.length).toBeGreaterThan(10);
  expect(entries).toEqual(ALERTS);
});

test.each(["alerts.yml", "dashboard.json"])("every metric that %s names is one of the server", async (file) => {
  const process = new Registry();
  collectDefaultMetrics({ register: process });
  const counted = [registry, process].flatMap((each) => each.getMetricsAsArray().map(({ name }) => name));
  const scraped = Array.from(read("packages/server/src/operations/measures.ts").matchAll(/gauge\(\s*"(\w+)"/g));
  const known = new Set([...counted, ...scraped.map(([, name]) => `kernelbot_${name}`)]);
  const used = read(`deploy/monitoring/${file}`).match(/\b(kernelbot|nodejs|process)_\w+/g) ?? [];
  expect(used.length).toBeGreaterThan(10);
  expect(used.map((name) => name.replace(/_(bucket|count|sum)$/, "")).filter((name) => !known.has(name))).toEqual([]);
});

test("every alert has a test in which it fires", () => {
  const tested = read("deploy/monitoring/alerts.test.yml").matchAll(/- alertname: (\w+)$/gm);
  expect([...new Set(Array.from(tested, ([, name]) => name))]).toEqual(ALERTS);
});

test("no query of the dashboard shows one of two series without labels only", () => {
  const queries = Array.from(
    read("deploy/monitoring/dashboard.json").matchAll(/"expr": "(.*)"/g),
    ([, query]) => query,
  );
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.filter((query) => / or /.test(query ?? ""))).toEqual([]);
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
test.skipIf(!hasPromtool).each([
  ["check", "alerts.yml"],
  ["test", "alerts.test.yml"],
])("promtool %s rules %s succeeds (skipped without promtool, which test:nightly installs: 100 MB)", (act, file) => {
  const { status, stderr, stdout } = spawnSync("promtool", [act, "rules", `deploy/monitoring/${file}`], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
});
