/**
 * The first two messages of a launch: a platform announces a user, and confirms them with an ID token. State and nonce are
 * usable once.
 */
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { networkOf, throttle } from "@kernelbot/server/src/auth/rate-limits.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Sign } from "./key.ts";
import type { PlatformRow } from "./platforms.ts";
import { authenticationAddress, configurationOf, verifyIdToken } from "./protocol.ts";

/** Time for each of the steps. */
export const LAUNCH_S = 600;
/** Protects the database. Above several launches of each member of a class, who often share one address. */
const LOGINS = { times: 3000, windowS: 600, what: "to open an activity from your network" };

interface LoginRequest {
  issuer: string;
  clientId: string | undefined;
  deployment: string | undefined;
  /** Hints that the platform expects back. */
  hints: Readonly<Record<string, string>>;
}

/**
 * Begins a launch. @returns the platform's address, to which the browser is sent, and the secret for its cookie.
 * @throws KernelBotError `not_found` for an unknown platform; `too_many_requests`.
 */
export async function beginLaunch(
  database: Database,
  sign: Sign,
  { issuer, clientId, deployment, hints }: LoginRequest,
  { launchUrl, address }: { launchUrl: string; address: string },
): Promise<{ url: string; browserSecret: string }> {
  await throttle(database, "lti", networkOf(address), LOGINS);
  const platforms = await database.db
    .selectFrom("lti_platform")
    .selectAll()
    .where("issuer", "=", issuer)
    .$if(clientId !== undefined, (query) => query.where("client_id", "=", clientId ?? ""))
    .execute();
  const platform = platforms.find(({ deployments }) => deployment === undefined || deployments.includes(deployment));
  if (platform === undefined) throw unknownPlatform({ issuer, clientId, deployment });
  const [state, nonce, browserSecret] = [newSecret(), newSecret(), newSecret()];
  await database.db
    .insertInto("lti_login")
    .values({
      hash: hashOf(state),
      browser_hash: hashOf(browserSecret),
      nonce,
      platform_id: platform.id,
      expires_at: inSeconds(LAUNCH_S),
    })
    .execute();
  const configuration = await configurationOf(database, sign, platform);
  const url = await authenticationAddress(configuration, { ...hints, redirect_uri: launchUrl, state, nonce });
  return { url, browserSecret };
}

/** A message of a platform with a valid signature, whose claims are not parsed yet. */
export interface VerifiedMessage {
  platform: PlatformRow;
  claims: unknown;
  /** Hash of the secret in the cookie of the browser that began the launch. */
  browserHash: Buffer | Uint8Array;
}

/**
 * Verifies a message that a platform posted.
 * @throws KernelBotError `bad_request` for an unknown state; `forbidden` for an invalid ID token.
 */
export async function verifyMessage(database: Database, sign: Sign, form: URLSearchParams): Promise<VerifiedMessage> {
  const state = form.get("state") ?? "";
  const login = await database.db
    .deleteFrom("lti_login")
    .where("hash", "=", hashOf(state))
    .where("expires_at", ">", sql<Date>`now()`)
    .returning(["browser_hash", "nonce", "platform_id"])
    .executeTakeFirst();
  if (login === undefined) {
    throw new KernelBotError("bad_request", "this launch has expired or was already used; open the activity again");
  }
  const platform = await database.db
    .selectFrom("lti_platform")
    .selectAll()
    .where("id", "=", login.platform_id)
    .executeTakeFirstOrThrow();
  const configuration = await configurationOf(database, sign, platform);
  const claims = await verifyIdToken(configuration, platform.name, form, { state, nonce: login.nonce });
  return { platform, claims, browserHash: login.browser_hash };
}

/** @throws KernelBotError `not_found` unless launches are accepted from a deployment of a platform. */
export function requireDeployment({ issuer, client_id: clientId, deployments }: PlatformRow, deployment: string): void {
  if (!deployments.includes(deployment)) throw unknownPlatform({ issuer, clientId, deployment });
}

/** SQL: the time in a number of seconds. */
export function inSeconds(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`;
}

function unknownPlatform({ issuer, clientId, deployment }: Omit<LoginRequest, "hints">): KernelBotError {
  return new KernelBotError(
    "not_found",
    `no learning platform is registered with the issuer ${JSON.stringify(issuer)}, the client id ${JSON.stringify(clientId ?? "")} and the deployment id ${JSON.stringify(deployment ?? "")}; an administrator of the server registers it, or adds the deployment, on the page Learning platforms of the administration`,
  );
}
