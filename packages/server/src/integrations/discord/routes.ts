/** API endpoint for Discord interactions over HTTP. The bot handles them. */
import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { endpoint } from "../../http/endpoint.ts";

export const discordEndpoints = [
  endpoint(api.integrations.discordInteraction, async ({ c, services: { discord } }) => {
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
  }),
];
