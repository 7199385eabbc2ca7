/** API endpoints for suites, and for checking a submission file against one. */
import { KernelBenchEntryCheck, Suite, SuiteList, SuiteName, SuiteUpload } from "@kernelbot/core";
import { z } from "zod";
import { checkFile } from "../check-file.ts";
import { listSuites, putSuite, readSuite } from "../suites.ts";
import { networkOf, throttle, type Limit } from "../../auth/rate-limits.ts";
import { endpoint } from "../../http/endpoint.ts";
import { requireMediaType } from "../../http/input.ts";
import { addressOf } from "../../http/origin.ts";

/** Limit of file checks per network; the endpoint needs no account and accepts megabytes. */
const CHECKS: Limit = { times: 20, windowS: 60, what: "to check a file" };

export const suiteEndpoints = [
  endpoint({
    method: "get",
    path: "/kernelbench/suites",
    summary: "List KernelBench suites",
    scope: null,
    answers: { 200: { description: "Newest version of each suite, ordered by name", schema: SuiteList } },
    async handle({ c, services }) {
      return c.json({ suites: await listSuites(services.database) });
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/suites/{suite}",
    summary: "Get a suite with its problems",
    scope: null,
    params: z.object({ suite: SuiteName }),
    query: z.object({
      version: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "use 64 hexadecimal digits")
        .optional()
        .describe("Version (default: the newest)"),
    }),
    answers: { 200: { description: "One version of the suite, with its problems in order", schema: Suite } },
    async handle({ c, services, params, query }) {
      return c.json(await readSuite(services.database, params.suite, query.version));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/suites",
    summary: "Create or update a suite from an inspected checkout",
    scope: "admin",
    role: "organiser",
    body: SuiteUpload,
    answers: { 200: { description: "The suite; its version is unchanged if the content is", schema: Suite } },
    async handle({ c, services, identity, body }) {
      return c.json(await putSuite(services.database, identity, body));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/validate",
    summary: "Check a submission file without storing it; the body is the file itself",
    scope: null,
    query: z.object({ suite: SuiteName }),
    byteBody: ["application/json"],
    answers: {
      200: {
        description: "All faults of the file, and its number of kernels per level",
        schema: KernelBenchEntryCheck,
      },
    },
    async handle({ c, services, query }) {
      await throttle(services.database, "entry check", networkOf(addressOf(c, services.site)), CHECKS);
      requireMediaType(c, ["application/json"]);
      const suite = await readSuite(services.database, query.suite);
      return c.json((await checkFile(new Uint8Array(await c.req.arrayBuffer()), suite)).check);
    },
  }),
];
