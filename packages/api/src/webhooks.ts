import {
  CreatedWebhook,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from "@kernelbot/core";
import { z } from "zod";
import { del, get, post } from "./contract.ts";
import { Id, limit, wholeNumber } from "./parameters.ts";

const DeliveryAddress = Id.extend({ delivery: z.string().regex(/^msg_[0-9a-f]{32}$/, "must be a delivery id") });

export const webhooks = {
  list: get("/webhooks", {
    summary: "List the caller's webhooks",
    scope: "account",
    answers: { 200: { description: "Webhooks, oldest first", schema: WebhookList } },
  }),

  create: post("/webhooks", {
    summary: "Register a webhook",
    scope: "account",
    body: NewWebhook,
    answers: {
      201: { description: "Registered; the secret is returned only in this response", schema: CreatedWebhook },
      409: { description: "Webhook limit reached" },
    },
  }),

  remove: del("/webhooks/{id}", {
    summary: "Delete a webhook and its log",
    scope: "account",
    params: Id,
    answers: { 204: { description: "Deleted" } },
  }),

  pause: post("/webhooks/{id}/pause", {
    summary: "Pause a webhook",
    scope: "account",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "The updated webhook", schema: Webhook } },
  }),

  resume: post("/webhooks/{id}/resume", {
    summary: "Resume a paused webhook",
    scope: "account",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "The updated webhook", schema: Webhook } },
  }),

  test: post("/webhooks/{id}/test", {
    summary: "Send a test event",
    scope: "account",
    params: Id,
    answers: {
      202: { description: "The test event is queued for delivery", schema: Webhook },
      409: { description: "The webhook is paused" },
    },
  }),

  deliveries: get("/webhooks/{id}/deliveries", {
    summary: "List deliveries of a webhook",
    scope: "account",
    params: Id,
    query: z.object({
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("Only deliveries with a smaller sequence number"),
      limit: limit(50, 200),
    }),
    answers: { 200: { description: "Deliveries, newest first", schema: WebhookDeliveryList } },
  }),

  redeliver: post("/webhooks/{id}/deliveries/{delivery}/redeliver", {
    summary: "Redeliver a delivery with the same id",
    scope: "account",
    params: DeliveryAddress,
    answers: {
      202: { description: "Queued for delivery", schema: WebhookDelivery },
      409: { description: "The webhook is paused" },
    },
  }),
};
