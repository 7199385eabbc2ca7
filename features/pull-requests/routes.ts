/** API endpoint for GitHub webhooks about pull requests. It stores deliveries, which `process.ts` processes. */
import { KernelBotError } from "@kernelbot/core";
import { endpoint } from "@kernelbot/server/src/http/endpoint.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { z } from "zod";
import { pullRequestContracts } from "./contract.ts";
import { storeDelivery } from "./deliveries.ts";
import { readEvent } from "./events.ts";
import { isSigned } from "./signature.ts";

const DeliveryHeaders = z.object({
  "x-github-event": z.string(),
  "x-github-delivery": z.string().regex(/^[\w-]{1,100}$/),
});

export const pullRequestEndpoints = [
  endpoint(pullRequestContracts.delivery, async ({ c, services: { database, options } }) => {
    const { pullRequests } = options;
    if (pullRequests === undefined) {
      const where = "see /docs/guides/evaluate-pull-requests";
      throw new KernelBotError("not_found", `this server has no GitHub App; ${where}`);
    }
    const body = new Uint8Array(await c.req.arrayBuffer());
    if (!isSigned(pullRequests.webhookSecret, body, c.req.header("x-hub-signature-256"))) {
      throw new KernelBotError("unauthorized", "x-hub-signature-256: missing or invalid signature");
    }
    const headers = validated(DeliveryHeaders, c.req.header());
    const found = headers["x-github-event"] === "pull_request" ? readEvent(jsonOf(body)) : null;
    if (found !== null && pullRequests.repositories.includes(found.pull.repository)) {
      await storeDelivery(database, headers["x-github-delivery"], found, new Date());
    }
    return c.body(null, 202);
  }),
];

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new KernelBotError(
      "bad_request",
      `the body is not valid JSON; set the App's content type to application/json: ${String(error)}`,
    );
  }
}
