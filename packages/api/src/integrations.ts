import { z } from "zod";
import { DELIVERY_BODY } from "./body-limits.ts";
import { post } from "./contract.ts";

const DiscordHeaders = z.object({
  "x-signature-ed25519": z.string().optional().describe("Ed25519 signature of the timestamp and body, in hexadecimal"),
  "x-signature-timestamp": z.string().optional().describe("Unix time in seconds; old timestamps are rejected"),
});

const GitHubHeaders = z.object({
  "x-hub-signature-256": z.string().optional().describe("HMAC-SHA256 of the body with the webhook secret"),
  "x-github-event": z.string().optional(),
  "x-github-delivery": z.string().optional().describe("Delivery id; a repeated id is the same delivery"),
});

export const integrations = {
  gitHubDelivery: post("/kernelbench/github", {
    summary: "Receive a GitHub pull request event",
    scope: null,
    headers: GitHubHeaders,
    byteBody: ["application/json"],
    bodyLimit: DELIVERY_BODY,
    answers: {
      202: { description: "Stored, or ignored because no work follows from it" },
      401: { description: "Missing or invalid signature" },
      404: { description: "This server has no GitHub App" },
    },
  }),

  discordInteraction: post("/discord/interactions", {
    summary: "Receive a Discord interaction",
    scope: null,
    headers: DiscordHeaders,
    byteBody: ["application/json"],
    answers: {
      200: { description: "Discord interaction response", schema: z.looseObject({ type: z.int() }) },
      401: { description: "Missing or invalid signature" },
      404: { description: "This server has no Discord bot, or its bot uses the gateway" },
      409: { description: "Interaction already handled" },
    },
  }),
};
