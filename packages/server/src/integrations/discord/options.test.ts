import { expect, test } from "vitest";
import { readDiscordOptions } from "./options.ts";

const ENV = { KERNELBOT_DISCORD_BOT_TOKEN: "a.b.c", KERNELBOT_DISCORD_APPLICATION_ID: "123" };

test("without any of its variables there is no bot; a client of the sign-in does not make one", () => {
  expect(readDiscordOptions({})).toBeUndefined();
  expect(
    readDiscordOptions({ KERNELBOT_DISCORD_CLIENT_ID: "1", KERNELBOT_DISCORD_CLIENT_SECRET: "s" }),
  ).toBeUndefined();
});

test("without a public key interactions come by the gateway", () => {
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

test("each variable that is wrong is named, and the token is not quoted", () => {
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
