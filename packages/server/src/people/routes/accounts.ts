/** API endpoints for accounts: the caller's own account and tokens, and account administration. */
import {
  Account,
  AccountList,
  AuditLog,
  NewToken,
  ROLES,
  RoleChange,
  RoleList,
  SignInLink,
  SignInLinkRequest,
  TokenList,
  TokenRequest,
  WeightChange,
  AccountWeight,
} from "@kernelbot/core";
import { z } from "zod";
import { changeRoles, changeWeight, listAccounts, whoami } from "../../auth/accounts.ts";
import { readAudit } from "../../auth/audit.ts";
import { makeLink } from "../../auth/sign-in-links.ts";
import { endSession } from "../../auth/sessions.ts";
import { createToken, listTokens, revokeOwnToken } from "../../auth/tokens.ts";
import { dropCookie } from "../../http/cookies.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import { wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";

const PAGE = 100;
const Limit = wholeNumber(1, 500).default(PAGE).describe(`${PAGE} unless given`);
/** Filters and paging of the account list. */
export const AccountQuery = z.object({
  after: z.string().max(200).optional(),
  search: z.string().max(200).optional().describe("What the name has in it"),
  only: z
    .enum([...ROLES, "banned"])
    .optional()
    .describe("Those with a role, or a ban"),
  limit: Limit,
});
export const AuditQuery = z.object({
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  act: z.string().max(100).optional(),
  account: z.string().max(200).optional().describe("The name of who acted"),
  limit: Limit,
});
/** Responses that contain a secret must not be cached. */
const NO_STORE = { "cache-control": "no-store" };

export const accountEndpoints = [
  endpoint({
    method: "get",
    path: "/account",
    summary: "Who asks, and what it may do",
    scope: "read",
    answers: { 200: { description: "The account of the token or session", schema: Account } },
    handle: ({ c, identity }) => c.json(whoami(identity)),
  }),

  endpoint({
    method: "post",
    path: "/sign-out",
    summary: "End the token or the session that asks",
    scope: "read",
    answers: { 204: { description: "It opens nothing any more" } },
    async handle({ c, services, identity }) {
      if (identity.tokenId !== null) await revokeOwnToken(services.database, identity, identity.tokenId);
      if (identity.sessionId !== null) {
        await endSession(services.database, identity, identity.sessionId);
        dropCookie(c, services, "session");
      }
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "get",
    path: "/tokens",
    summary: "One's own tokens that can be used",
    scope: "account",
    answers: { 200: { description: "Newest first, without their secrets", schema: TokenList } },
    async handle({ c, services, identity }) {
      return c.json({ tokens: await listTokens(services.database, identity) });
    },
  }),

  endpoint({
    method: "post",
    path: "/tokens",
    summary: "Make a token that may do no more than what asks",
    scope: "account",
    body: TokenRequest,
    answers: { 201: { description: "Its secret is told this once", schema: NewToken } },
    async handle({ c, services, identity, body }) {
      return c.json(await createToken(services.database, identity, body), 201, NO_STORE);
    },
  }),

  endpoint({
    method: "post",
    path: "/tokens/{id}/revoke",
    summary: "Revoke one of one's own tokens",
    scope: "account",
    params: Id,
    answers: { 204: { description: "It opens nothing any more" } },
    async handle({ c, services, identity, params }) {
      await revokeOwnToken(services.database, identity, params.id);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "get",
    path: "/admin/accounts",
    summary: "All accounts by their names",
    scope: "admin",
    role: "administrator",
    query: AccountQuery,
    answers: { 200: { description: "A page of them", schema: AccountList } },
    async handle({ c, services, identity, query }) {
      return c.json({ accounts: await listAccounts(services.database, identity, query) });
    },
  }),

  endpoint({
    method: "post",
    path: "/admin/accounts/{name}/roles",
    summary: "Give roles to an account and take roles from it",
    scope: "admin",
    role: "administrator",
    params: z.object({ name: z.string().max(200) }),
    body: RoleChange,
    answers: { 200: { description: "The roles that it has then", schema: RoleList } },
    async handle({ c, services, identity, params, body }) {
      return c.json({ roles: await changeRoles(services.database, identity, params.name, body) });
    },
  }),

  endpoint({
    method: "post",
    path: "/admin/accounts/{name}/weight",
    summary: "Give an account another share of the machines, from the next run that is claimed",
    scope: "admin",
    role: "administrator",
    params: z.object({ name: z.string().max(200) }),
    body: WeightChange,
    answers: { 200: { description: "The weight that it has then", schema: AccountWeight } },
    async handle({ c, services, identity, params, body }) {
      return c.json(await changeWeight(services.database, identity, params.name, body));
    },
  }),

  endpoint({
    method: "post",
    path: "/admin/sign-in-links",
    summary: "Make an address that opens an account once",
    scope: "admin",
    role: "administrator",
    body: SignInLinkRequest,
    answers: { 201: { description: "It is told this once", schema: SignInLink } },
    async handle({ c, services, identity, body }) {
      const { secret, account, expiresAt } = await makeLink(services.database, identity, body);
      const url = `${originOf(c, services.site)}/sign-in/link?token=${secret}`;
      return c.json<SignInLink>({ url, account, expiresAt }, 201, NO_STORE);
    },
  }),

  endpoint({
    method: "get",
    path: "/admin/audit",
    summary: "What was done with the rights of a role",
    scope: "admin",
    role: "administrator",
    query: AuditQuery,
    answers: { 200: { description: "Newest first", schema: AuditLog } },
    async handle({ c, services, identity, query }) {
      return c.json({ entries: await readAudit(services.database, identity, query) });
    },
  }),
];
