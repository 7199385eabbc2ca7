/** API endpoint for Discord interactions over HTTP. The bot handles them. */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";

const Headers = z.object({
  "x-signature-ed25519": z.string().optional().describe("Ed25519 signature of the timestamp and body, in hexadecimal"),
  "x-signature-timestamp": z.string().optional().describe("Unix time in seconds; old timestamps are rejected"),
});

export const discordEndpoints = [
  endpoint({
    method: "post",
    path: "/discord/interactions",
    summary: "Receive a Discord interaction",
    scope: null,
    headers: Headers,
    byteBody: ["application/json"],
    answers: {
      200: { description: "Discord interaction response", schema: z.looseObject({ type: z.int() }) },
      401: { description: "Missing or invalid signature" },
      404: { description: "This server has no Discord bot, or its bot uses the gateway" },
      409: { description: "Interaction already handled" },
    },
    async handle({ c, services: { discord } }) {
      if (discord === undefined) {
        throw new KernelBotError(
          "not_found",
          "this server has no Discord bot; see docs/guides/set-up-the-discord-bot.md",
        );
      }
      const response = await discord.interact({
        body: new Uint8Array(await c.req.arrayBuffer()),
        signature: c.req.header("x-signature-ed25519"),
        timestamp: c.req.header("x-signature-timestamp"),
      });
      return c.json(response);
    },
  }),
];
