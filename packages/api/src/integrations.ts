import { z } from "zod";
import { post } from "./contract.ts";

const DiscordHeaders = z.object({
  "x-signature-ed25519": z.string().optional().describe("Ed25519 signature of the timestamp and body, in hexadecimal"),
  "x-signature-timestamp": z.string().optional().describe("Unix time in seconds; old timestamps are rejected"),
});

export const integrations = {
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
