import {
  CreatedWebhook,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from "@kernelbot/core";
import { z } from "zod";
import { listDeliveries, redeliver } from "../log.ts";
import { createWebhook, deleteWebhook, listWebhooks, pauseWebhook, resumeWebhook, testWebhook } from "../webhooks.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import { wholeNumber } from "../../http/input.ts";

/** Deliveries per page of the log. */
const PAGE = 50;

const NO_STORE = { "cache-control": "private, no-store" };

const DeliveryAddress = Id.extend({ delivery: z.string().regex(/^msg_[0-9a-f]{32}$/, "must be a delivery id") });

export const webhookEndpoints = [
  endpoint({
    method: "get",
    path: "/webhooks",
    summary: "List the caller's webhooks",
    scope: "account",
    answers: { 200: { description: "Webhooks, oldest first", schema: WebhookList } },
    async handle({ c, services, identity }) {
      return c.json({ webhooks: await listWebhooks(services.database, identity) }, 200, NO_STORE);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks",
    summary: "Register a webhook",
    scope: "account",
    body: NewWebhook,
    answers: {
      201: { description: "Registered; the secret is returned only in this response", schema: CreatedWebhook },
      409: { description: "Webhook limit reached" },
    },
    async handle({ c, services, identity, body }) {
      const rules = { allowPrivate: services.privateWebhooks };
      return c.json(await createWebhook(services.database, identity, body, rules), 201, NO_STORE);
    },
  }),

  endpoint({
    method: "delete",
    path: "/webhooks/{id}",
    summary: "Delete a webhook and its log",
    scope: "account",
    params: Id,
    answers: { 204: { description: "Deleted" } },
    async handle({ c, services, identity, params }) {
      await deleteWebhook(services.database, identity, params.id);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/pause",
    summary: "Pause a webhook",
    scope: "account",
    params: Id,
    answers: { 200: { description: "The updated webhook", schema: Webhook } },
    async handle({ c, services, identity, params }) {
      return c.json(await pauseWebhook(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/resume",
    summary: "Resume a paused webhook",
    scope: "account",
    params: Id,
    answers: { 200: { description: "The updated webhook", schema: Webhook } },
    async handle({ c, services, identity, params }) {
      return c.json(await resumeWebhook(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/test",
    summary: "Send a test event",
    scope: "account",
    params: Id,
    answers: {
      202: { description: "The test event is queued for delivery", schema: Webhook },
      409: { description: "The webhook is paused" },
    },
    async handle({ c, services, identity, params }) {
      return c.json(await testWebhook(services.database, identity, params.id), 202);
    },
  }),

  endpoint({
    method: "get",
    path: "/webhooks/{id}/deliveries",
    summary: "List deliveries of a webhook",
    scope: "account",
    params: Id,
    query: z.object({
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("Only deliveries with a smaller sequence number"),
      limit: wholeNumber(1, 200).default(PAGE).describe(`Maximum number of deliveries (default: ${PAGE})`),
    }),
    answers: { 200: { description: "Deliveries, newest first", schema: WebhookDeliveryList } },
    async handle({ c, services, identity, params, query }) {
      return c.json({ deliveries: await listDeliveries(services.database, identity, params.id, query) }, 200, NO_STORE);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/deliveries/{delivery}/redeliver",
    summary: "Redeliver a delivery with the same id",
    scope: "account",
    params: DeliveryAddress,
    answers: {
      202: { description: "Queued for delivery", schema: WebhookDelivery },
      409: { description: "The webhook is paused" },
    },
    async handle({ c, services, identity, params }) {
      return c.json(await redeliver(services.database, identity, params.id, params.delivery), 202);
    },
  }),
];
