/**
 * Registration by the platform itself (LTI Dynamic Registration 1.0).
 *
 *     administrator --link--> administrator of the platform, who enters it there
 *     platform --GET /lti/register?...&openid_configuration=URL&registration_token=TOKEN--> this server
 *     this server --GET URL, then POST of its own addresses with TOKEN--> platform, which returns the client id
 *
 * The link names the host of the platform, so that its holder can neither register another platform nor make this server
 * send requests elsewhere. An account belongs to a user of the issuer, so the issuer must be one for which the configuration's
 * address may speak: as in OpenID Connect Discovery 1.0, the address is below the issuer.
 */
import { sql } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { LtiAddresses, LtiPlatform, LtiRegistrationRequest } from "./messages.ts";
import { z } from "zod";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import { requireRole, type Identity } from "@kernelbot/server/src/auth/identity.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { parseWebhookUrl } from "@kernelbot/server/src/webhooks/addresses.ts";
import { send, type SendOptions } from "@kernelbot/server/src/webhooks/send.ts";
import { SCOPES } from "./claims.ts";
import { storePlatform } from "./platforms.ts";
import { withoutNulls } from "./without-nulls.ts";

const DAYS = 7;
/** Maximum size of a platform's response, in bytes. */
const ANSWER_BYTES = 2 ** 18;
const TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration";

const Word = z.string().min(1).max(255);
const Address = z.url({ protocol: /^https?$/ }).max(1000);
/** OpenID configuration of a platform. */
const Configuration = z.object({
  issuer: Address.max(255),
  authorization_endpoint: Address,
  token_endpoint: Address,
  jwks_uri: Address,
  registration_endpoint: Address,
});
const Registered = z.object({
  client_id: Word,
  [TOOL]: z.object({ deployment_id: z.union([Word, z.number().transform(String)]).optional() }).optional(),
});

/**
 * Creates a link by which one platform registers this server.
 * @throws KernelBotError `forbidden` if the caller is not an administrator.
 */
export async function createRegistration(
  { db }: Database,
  identity: Identity,
  { name, address }: LtiRegistrationRequest,
): Promise<{ secret: string; host: string; expiresAt: string }> {
  requireRole(identity, "administrator");
  const secret = newSecret();
  const { host } = new URL(address);
  return runTransaction(db, async (transaction) => {
    const row = await transaction
      .insertInto("lti_registration")
      .values({
        ...{ hash: hashOf(secret), name, host, created_by: identity.account.id },
        expires_at: sql<Date>`now() + make_interval(days => ${DAYS})`,
      })
      .returning("expires_at")
      .executeTakeFirstOrThrow();
    await audit(transaction, identity, "lti-registration-link", `host ${host}`, { name });
    return { secret, host, expiresAt: row.expires_at.toISOString() };
  });
}

/** What the platform adds to the link. */
interface RegistrationCall {
  secret: string;
  configurationUrl: string;
  /** Authorises the registration at the platform. */
  token: string | undefined;
}

/**
 * Registers this server at the platform that opened a link, and the platform here. The link remains usable if that fails.
 * @param tool Name and addresses of this server.
 * @throws KernelBotError `not_found` for an unknown link; `unprocessable` if the platform cannot be reached or its response
 * is invalid; `conflict` if it is registered already.
 */
export async function registerAtPlatform(
  { db }: Database,
  { secret, configurationUrl, token }: RegistrationCall,
  { name: toolName, addresses }: { name: string; addresses: LtiAddresses },
  rules: Pick<SendOptions, "allowPrivate">,
): Promise<LtiPlatform> {
  const link = await db
    .selectFrom("lti_registration as r")
    .innerJoin("account as a", "a.id", "r.created_by")
    .select(["r.name", "r.host", "a.id as accountId", "a.name as accountName"])
    .where("r.hash", "=", hashOf(secret))
    .where("r.expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (link === undefined) throw unknownLink();
  if (URL.parse(configurationUrl)?.host !== link.host) {
    throw new KernelBotError(
      "forbidden",
      `this registration link is for the platform at ${link.host}, but the configuration is at ${quote(configurationUrl)}; ask the administrator of this server for a link for that host`,
    );
  }
  const json = { ...rules, answerBytes: ANSWER_BYTES };
  const read = await send(configurationUrl, { accept: "application/json" }, "", { ...json, method: "GET" });
  if (read.error !== null) throw refused(`its configuration could not be read: ${read.error}`);
  const platform = parsed(Configuration, read.answer, "configuration");
  if (!isBelow(configurationUrl, platform.issuer)) {
    throw refused(
      `its configuration at ${quote(configurationUrl)} names the issuer ${quote(platform.issuer)}, but only an address below an issuer may configure it; ask the platform's operator to correct its site address, or register it by hand`,
    );
  }
  for (const url of [platform.authorization_endpoint, platform.token_endpoint, platform.jwks_uri]) {
    parseWebhookUrl(url, rules);
  }
  const headers = {
    ...{ accept: "application/json", "content-type": "application/json" },
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const message = JSON.stringify(toolRegistration(toolName, addresses));
  const answer = await send(platform.registration_endpoint, headers, message, json);
  if (answer.error !== null) {
    const detail = (answer.answer ?? "").replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 200);
    throw refused(`it did not register this server: ${answer.error}${detail === "" ? "" : `: ${detail}`}`);
  }
  const { client_id: clientId, [TOOL]: tool } = parsed(Registered, answer.answer, "response");
  return runTransaction(db, async (transaction) => {
    const used = await transaction
      .deleteFrom("lti_registration")
      .where("hash", "=", hashOf(secret))
      .returning("name")
      .executeTakeFirst();
    if (used === undefined) throw unknownLink();
    const known = await transaction
      .selectFrom("lti_platform")
      .select("name")
      .where("issuer", "=", platform.issuer)
      .where("client_id", "=", clientId)
      .executeTakeFirst();
    if (known !== undefined) {
      throw new KernelBotError(
        "conflict",
        `this client of ${quote(platform.issuer)} is registered already, as ${known.name}`,
      );
    }
    const { authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl, jwks_uri: jwksUrl, issuer } = platform;
    const deployments = tool?.deployment_id === undefined ? [] : [tool.deployment_id];
    return storePlatform(
      transaction,
      { account: { id: link.accountId, name: link.accountName } },
      { name: link.name, issuer, clientId, deployments, authorizeUrl, tokenUrl, jwksUrl },
    );
  });
}

/** Returns the registration of this server, as a platform receives it. */
function toolRegistration(name: string, { launchUrl, deepLinkingUrl, loginUrl, jwksUrl }: LtiAddresses) {
  return {
    application_type: "web",
    response_types: ["id_token"],
    grant_types: ["implicit", "client_credentials"],
    initiate_login_uri: loginUrl,
    redirect_uris: [launchUrl],
    client_name: name,
    jwks_uri: jwksUrl,
    token_endpoint_auth_method: "private_key_jwt",
    scope: Object.values(SCOPES).join(" "),
    [TOOL]: {
      domain: new URL(launchUrl).host,
      description: "Kernel programming assignments",
      target_link_uri: launchUrl,
      claims: ["iss", "sub", "name", "given_name", "family_name", "email"],
      messages: [
        { type: "LtiResourceLinkRequest", target_link_uri: launchUrl, label: name },
        { type: "LtiDeepLinkingRequest", target_link_uri: deepLinkingUrl, label: name },
      ],
    },
  };
}

/** Returns whether an address is the issuer's or below it: on a host with several platforms, each has its own path. */
function isBelow(address: string, issuer: string): boolean {
  const [{ origin, pathname }, base] = [new URL(address), new URL(issuer)];
  return origin === base.origin && `${pathname}/`.startsWith(`${base.pathname.replace(/\/+$/, "")}/`);
}

function parsed<T>(schema: z.ZodType<T>, text: string | null, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    throw refused(`its ${what} is not JSON`);
  }
  const result = schema.safeParse(withoutNulls(value));
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path }) => path.join("."));
  throw refused(`its ${what} lacks a valid ${[...new Set(fields)].join(", ")}`);
}

function refused(why: string): KernelBotError {
  return new KernelBotError("unprocessable", `the platform cannot be registered: ${why}`);
}

function unknownLink(): KernelBotError {
  return new KernelBotError(
    "not_found",
    "this registration link has expired or was already used; ask the administrator of this server for a new one",
  );
}
