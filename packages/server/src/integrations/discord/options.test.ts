import { expect, test } from "vitest";
import { readDiscordOptions } from "./options.ts";

const ENV = { KERNELBOT_DISCORD_BOT_TOKEN: "a.b.c", KERNELBOT_DISCORD_APPLICATION_ID: "123" };

test("there is no bot without its variables, even with a Discord sign-in client", () => {
  expect(readDiscordOptions({})).toBeUndefined();
  expect(
    readDiscordOptions({ KERNELBOT_DISCORD_CLIENT_ID: "1", KERNELBOT_DISCORD_CLIENT_SECRET: "s" }),
  ).toBeUndefined();
});

test("without a public key, interactions arrive over the gateway", () => {
  expect(readDiscordOptions(ENV)).toEqual({
    botToken: "a.b.c",
    applicationId: "123",
    publicKey: null,
    apiUrl: "https://discord.com/api",
    cdnUrl: "https://cdn.discordapp.com",
  });
  const publicKey = "0f".repeat(32);
  expect(readDiscordOptions({ ...ENV, KERNELBOT_DISCORD_PUBLIC_KEY: publicKey })).toMatchObject({ publicKey });
});

test("the error names each invalid variable and does not quote the token", () => {
  const wrong = {
    KERNELBOT_DISCORD_BOT_TOKEN: "se cret",
    KERNELBOT_DISCORD_PUBLIC_KEY: "x",
    KERNELBOT_DISCORD_API_URL: "ftp://a",
  };
  expect(() => readDiscordOptions(wrong)).toThrow(
    /^KERNELBOT_DISCORD_API_URL: .*; KERNELBOT_DISCORD_BOT_TOKEN: .*; KERNELBOT_DISCORD_APPLICATION_ID: .*; KERNELBOT_DISCORD_PUBLIC_KEY: /,
  );
  expect(() => readDiscordOptions(wrong)).not.toThrow(/se cret/);
});
