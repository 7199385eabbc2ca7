/**
 * API endpoint for GitHub webhooks about pull requests. Deliveries are stored here and processed by
 * `kernelbench/pull-requests`.
 */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { takeDelivery } from "./pull-requests/deliveries.ts";
import { readEvent } from "./pull-requests/events.ts";
import { isSigned } from "./pull-requests/signature.ts";
import { endpoint } from "../../http/endpoint.ts";
import { validated } from "../../http/input.ts";

const Headers = z.object({
  "x-hub-signature-256": z.string().optional().describe("Of the body, by the secret that GitHub and this server share"),
  "x-github-event": z.string().optional(),
  "x-github-delivery": z.string().optional().describe("Sent again with the same id, it is the same delivery"),
});

const Told = z.object({
  "x-github-event": z.string(),
  "x-github-delivery": z.string().regex(/^[\w-]{1,100}$/),
});

export const gitHubEndpoints = [
  endpoint({
    method: "post",
    path: "/kernelbench/github",
    summary: "What a GitHub App is told of pull requests",
    scope: null,
    headers: Headers,
    byteBody: ["application/json"],
    answers: {
      202: { description: "It is stored, or is nothing to this server" },
      401: { description: "It is not signed by the secret" },
      404: { description: "This server has no GitHub App" },
    },
    async handle({ c, services: { database, pullRequests } }) {
      if (pullRequests === undefined) {
        const where = "docs/guides/evaluate-pull-requests.md tells its operator how to add one";
        throw new KernelBotError("not_found", `this server has no GitHub App; ${where}`);
      }
      const body = new Uint8Array(await c.req.arrayBuffer());
      if (!isSigned(pullRequests.webhookSecret, body, c.req.header("x-hub-signature-256"))) {
        throw new KernelBotError("unauthorized", "x-hub-signature-256: this body is not signed by the App's secret");
      }
      const told = validated(Told, c.req.header());
      const found = told["x-github-event"] === "pull_request" ? readEvent(jsonOf(body)) : null;
      if (found !== null && pullRequests.repositories.includes(found.pull.repository)) {
        await takeDelivery(database, told["x-github-delivery"], found, new Date());
      }
      return c.body(null, 202);
    },
  }),
];

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new KernelBotError(
      "bad_request",
      `The body is not JSON; have the App send application/json: ${String(error)}`,
    );
  }
}
