/** API endpoints for accounts: the caller's own account and tokens, and account administration. */
import { api } from "@kernelbot/api";
import { SignInLink } from "@kernelbot/core";
import { changeRoles, changeWeight, listAccounts, whoami } from "../../auth/accounts.ts";
import { readAudit } from "../../auth/audit.ts";
import { createSignInLink } from "../../auth/sign-in-links.ts";
import { endSession } from "../../auth/sessions.ts";
import { createToken, listTokens, revokeOwnToken } from "../../auth/tokens.ts";
import { dropCookie, SESSION_COOKIE } from "../../http/cookies.ts";
import { unknownTargets } from "../../runners/unknown-targets.ts";
import { endpoint } from "../../http/endpoint.ts";
import { originOf } from "../../http/origin.ts";
/** Responses that contain a secret must not be cached. */
const NO_STORE = { "cache-control": "no-store" };

export const accountEndpoints = [
  endpoint(api.account.get, ({ c, identity }) => c.json(whoami(identity))),

  endpoint(api.account.signOut, async ({ c, services, identity }) => {
    if (identity.tokenId !== null) await revokeOwnToken(services.database, identity, identity.tokenId);
    if (identity.sessionId !== null) {
      await endSession(services.database, identity, identity.sessionId);
      dropCookie(c, services, SESSION_COOKIE);
    }
    return c.body(null, 204);
  }),

  endpoint(api.tokens.list, async ({ c, services, identity }) => {
    return c.json({ tokens: await listTokens(services.database, identity) });
  }),

  endpoint(api.tokens.create, async ({ c, services, identity, body }) => {
    const made = await createToken(services.database, identity, body);
    const warnings = await unknownTargets(services.database, body.targets, services.runners);
    return c.json({ ...made, warnings }, 201, NO_STORE);
  }),

  endpoint(api.tokens.revoke, async ({ c, services, identity, params }) => {
    await revokeOwnToken(services.database, identity, params.id);
    return c.body(null, 204);
  }),

  endpoint(api.accounts.list, async ({ c, services, identity, query }) => {
    return c.json({ accounts: await listAccounts(services.database, identity, query) });
  }),

  endpoint(api.accounts.changeRoles, async ({ c, services, identity, params, body }) => {
    return c.json({ roles: await changeRoles(services.database, identity, params.name, body) });
  }),

  endpoint(api.accounts.changeWeight, async ({ c, services, identity, params, body }) => {
    return c.json(await changeWeight(services.database, identity, params.name, body));
  }),

  endpoint(api.accounts.createSignInLink, async ({ c, services, identity, body }) => {
    const { secret, account, expiresAt } = await createSignInLink(services.database, identity, body);
    const url = `${originOf(c, services.site)}/sign-in/link?token=${secret}`;
    return c.json<SignInLink>({ url, account, expiresAt }, 201, NO_STORE);
  }),

  endpoint(api.accounts.audit, async ({ c, services, identity, query }) => {
    return c.json({ entries: await readAudit(services.database, identity, query) });
  }),
];
