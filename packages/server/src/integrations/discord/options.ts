/** Options of the Discord application, read from the environment. */
import { KernelBotError } from "@kernelbot/core";

export interface DiscordOptions {
  botToken: string;
  applicationId: string;
  /**
   * The application's public key, in hexadecimal, for interactions over HTTP, which are signed with it. Null for
   * interactions over the gateway.
   */
  publicKey: string | null;
  /** Base URL of Discord's API, without the version. */
  apiUrl: string;
  /** Base URL of attachments. */
  cdnUrl: string;
}

const PREFIX = "KERNELBOT_DISCORD_";

/**
 * Reads KERNELBOT_DISCORD_BOT_TOKEN and the related variables; undefined when none is set.
 * @throws KernelBotError `bad_request` that names each invalid variable.
 */
export function readDiscordOptions(env: NodeJS.ProcessEnv): DiscordOptions | undefined {
  const text = (name: string): string => env[`${PREFIX}${name}`]?.trim() ?? "";
  const [botToken, applicationId, publicKey] = [text("BOT_TOKEN"), text("APPLICATION_ID"), text("PUBLIC_KEY")];
  if (botToken === "" && applicationId === "" && publicKey === "") return undefined;
  const faults: string[] = [];
  const address = (name: string, usual: string): string => {
    const url = text(name) || usual;
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      faults.push(`${PREFIX}${name}: must be an http or https URL`);
    return url.replace(/\/$/, "");
  };
  const apiUrl = address("API_URL", "https://discord.com/api");
  const cdnUrl = address("CDN_URL", "https://cdn.discordapp.com");
  if (!/^[\x21-\x7e]+$/.test(botToken))
    faults.push(`${PREFIX}BOT_TOKEN: use the token from the application's Bot page`);
  if (!/^\d{1,20}$/.test(applicationId)) {
    faults.push(`${PREFIX}APPLICATION_ID: use the application id from the General Information page`);
  }
  if (publicKey !== "" && !/^[0-9a-f]{64}$/i.test(publicKey)) {
    faults.push(`${PREFIX}PUBLIC_KEY: use the public key (64 hexadecimal digits) from the General Information page`);
  }
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return { botToken, applicationId, publicKey: publicKey === "" ? null : publicKey, apiUrl, cdnUrl };
}
