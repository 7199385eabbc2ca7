/** API endpoint for Discord interactions over HTTP. The bot handles them. */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";

const Headers = z.object({
  "x-signature-ed25519": z.string().optional().describe("Of the time and the body, by the application's key"),
  "x-signature-timestamp": z.string().optional().describe("Seconds since 1970; what is old is refused"),
});

export const discordEndpoints = [
  endpoint({
    method: "post",
    path: "/discord/interactions",
    summary: "What a Discord application is told of commands, buttons and menus",
    scope: null,
    headers: Headers,
    byteBody: ["application/json"],
    answers: {
      200: { description: "Discord's own document: what is shown at once", schema: z.looseObject({ type: z.int() }) },
      401: { description: "It is not signed by Discord" },
      404: { description: "This server has no Discord bot, or one that is connected to the gateway" },
      409: { description: "It was answered before" },
    },
    async handle({ c, services: { discord } }) {
      if (discord === undefined) {
        throw new KernelBotError(
          "not_found",
          "this server has no Discord bot; docs/guides/set-up-the-discord-bot.md tells how to add one",
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
