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

const DeliveryAddress = Id.extend({ delivery: z.string().regex(/^msg_[0-9a-f]{32}$/, "use the id of a delivery") });

export const webhookEndpoints = [
  endpoint({
    method: "get",
    path: "/webhooks",
    summary: "One's own webhooks",
    scope: "account",
    answers: { 200: { description: "The oldest first", schema: WebhookList } },
    async handle({ c, services, identity }) {
      return c.json({ webhooks: await listWebhooks(services.database, identity) }, 200, NO_STORE);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks",
    summary: "Have an address told what happens",
    scope: "account",
    body: NewWebhook,
    answers: {
      201: { description: "It is registered; the secret is told this once", schema: CreatedWebhook },
      409: { description: "This account has as many as it may have" },
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
    answers: { 204: { description: "It is gone" } },
    async handle({ c, services, identity, params }) {
      await deleteWebhook(services.database, identity, params.id);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/pause",
    summary: "Send nothing to a webhook until it is resumed",
    scope: "account",
    params: Id,
    answers: { 200: { description: "As it stands now", schema: Webhook } },
    async handle({ c, services, identity, params }) {
      return c.json(await pauseWebhook(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/resume",
    summary: "Go on with a paused webhook",
    scope: "account",
    params: Id,
    answers: { 200: { description: "As it stands now", schema: Webhook } },
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
      202: { description: "It is in the log and will be sent", schema: Webhook },
      409: { description: "The webhook is paused" },
    },
    async handle({ c, services, identity, params }) {
      return c.json(await testWebhook(services.database, identity, params.id), 202);
    },
  }),

  endpoint({
    method: "get",
    path: "/webhooks/{id}/deliveries",
    summary: "What a webhook was told, and how that went",
    scope: "account",
    params: Id,
    query: z.object({
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().describe("Those with a smaller sequence"),
      limit: wholeNumber(1, 200).default(PAGE).describe(`${PAGE} unless given`),
    }),
    answers: { 200: { description: "The newest first", schema: WebhookDeliveryList } },
    async handle({ c, services, identity, params, query }) {
      return c.json({ deliveries: await listDeliveries(services.database, identity, params.id, query) }, 200, NO_STORE);
    },
  }),

  endpoint({
    method: "post",
    path: "/webhooks/{id}/deliveries/{delivery}/redeliver",
    summary: "Send a delivery again, under the same id",
    scope: "account",
    params: DeliveryAddress,
    answers: {
      202: { description: "It will be sent", schema: WebhookDelivery },
      409: { description: "The webhook is paused" },
    },
    async handle({ c, services, identity, params }) {
      return c.json(await redeliver(services.database, identity, params.id, params.delivery), 202);
    },
  }),
];
