/**
 * The administration pages: server overview, accounts, and audit log. Organisers see only the overview, limited to
 * their own competitions.
 */
import { Reason, ROLES, type AccountSummary, SignInLinkRequest, type SignInLink } from "@kernelbot/core";
import { accountsPage, adminAccountPage, adminOverviewPage, auditPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listOrganised } from "../../competitions/competitions.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { serverFacts } from "../facts.ts";
import { setGate } from "../../submissions/gate.ts";
import { ban, unban } from "../../moderation/ban.ts";
import { accountHistory } from "../../moderation/history.ts";
import { changeRoles, listAccounts, readAccount } from "../../auth/accounts.ts";
import { auditActs, readAudit } from "../../auth/audit.ts";
import { makeLink } from "../../auth/sign-in-links.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { forRole, formsOf, type Refused } from "../../http/forms.ts";
import { optional, readFields, validated, wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

/** Rows per page. */
const PAGE = 100;

const Address = z.object({ id: z.string().max(200) });
const AccountsQuery = z.object({
  search: optional(z.string().max(200)),
  only: optional(z.enum([...ROLES, "banned"])),
  after: z.string().max(200).optional(),
});
const AuditQuery = z.object({
  act: optional(z.string().max(100)),
  account: optional(z.string().max(200)),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
});
/** Lifetime of a sign-in link in hours; `SignInLinkRequest` checks the range. */
const Hours = z.object({ hours: z.coerce.number() });
const Why = z.object({ reason: z.string() });

export function mountAdminPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/admin",
    forRole(services, "organiser", async (c, identity) => c.html(await overview(c, identity))),
  );

  const ofServer = formsOf(services, (c, identity, { problem }) => overview(c, identity, { problem }), "administrator");

  app.post(
    "/admin/gate",
    ofServer(async (c, identity) => {
      const { gate } = await readFields(c, z.object({ gate: z.enum(["open", "shut"]) }));
      await setGate(database, identity, gate === "open");
      return c.redirect("/admin#gate", 303);
    }),
  );

  app.get(
    "/admin/accounts",
    forRole(services, "administrator", async (c, identity) => c.html(await accounts(c, identity))),
  );

  const ofAccounts = formsOf(services, (c, identity, refused) => accounts(c, identity, { refused }), "administrator");

  app.post(
    "/admin/accounts",
    ofAccounts(async (c, identity) => {
      const { name, hours } = await readFields(c, Hours.extend({ name: z.string() }));
      return c.html(await accounts(c, identity, { made: await link(c, identity, { name, hours, create: true }) }));
    }),
  );

  app.get(
    "/admin/accounts/:id",
    forRole(services, "administrator", async (c, identity) => c.html(await account(c, identity))),
  );

  const ofAccount = formsOf(services, (c, identity, refused) => account(c, identity, { refused }), "administrator");
  const named = (c: Context<HttpEnv>, identity: Identity): Promise<AccountSummary> =>
    readAccount(database, identity, validated(Address, c.req.param()).id);

  app.post(
    "/admin/accounts/:id/roles",
    ofAccount(async (c, identity) => {
      const { id, name, roles } = await named(c, identity);
      const wanted = validated(z.array(z.enum(ROLES)), new URLSearchParams(await c.req.text()).getAll("role"));
      const add = wanted.filter((role) => !roles.includes(role));
      const remove = roles.filter((role) => !wanted.includes(role));
      if (add.length + remove.length > 0) await changeRoles(database, identity, name, { add, remove });
      return c.redirect(`/admin/accounts/${encodeURIComponent(id)}`, 303);
    }),
  );

  app.post(
    "/admin/accounts/:id/link",
    ofAccount(async (c, identity) => {
      const { name } = await named(c, identity);
      const { hours } = await readFields(c, Hours);
      return c.html(await account(c, identity, { made: await link(c, identity, { name, hours, create: false }) }));
    }),
  );

  for (const [word, act] of [
    ["ban", ban],
    ["unban", unban],
  ] as const) {
    app.post(
      `/admin/accounts/:id/${word}`,
      ofAccount(async (c, identity) => {
        const { id, name } = await named(c, identity);
        const reason = validated(Reason, (await readFields(c, Why)).reason.replaceAll("\r\n", "\n"));
        await act(database, identity, { account: name, reason });
        return c.redirect(`/admin/accounts/${encodeURIComponent(id)}`, 303);
      }),
    );
  }

  app.get(
    "/admin/audit",
    forRole(services, "administrator", async (c, identity) => {
      const { before, ...query } = validated(AuditQuery, c.req.query());
      const [entries, acts] = await Promise.all([
        readAudit(database, identity, { ...query, before, limit: PAGE + 1 }),
        auditActs(database, identity),
      ]);
      const shown = { entries: entries.slice(0, PAGE), more: entries.length > PAGE };
      return c.html(await auditPage({ visit: visitOf(c, services, identity), ...shown, acts, query }));
    }),
  );

  async function overview(
    c: Context<HttpEnv>,
    identity: Identity,
    { problem }: { problem?: string } = {},
  ): Promise<string> {
    const isAdministrator = hasRole(identity, "administrator");
    return adminOverviewPage({
      visit: visitOf(c, services, identity),
      facts: isAdministrator ? await serverFacts(database, identity, services.problemsFolder) : null,
      competitions: await listOrganised(database, identity),
      now: new Date(),
      outcome: { problem },
    });
  }

  async function accounts(
    c: Context<HttpEnv>,
    identity: Identity,
    { made, refused }: { made?: SignInLink; refused?: Refused } = {},
  ): Promise<string> {
    const { after, ...query } = validated(AccountsQuery, c.req.query());
    const found = await listAccounts(database, identity, { ...query, after, limit: PAGE + 1 });
    return accountsPage({
      visit: visitOf(c, services, identity),
      accounts: found.slice(0, PAGE),
      more: found.length > PAGE,
      query,
      made,
      typed: refused?.typed.get("name") ?? undefined,
      outcome: { problem: refused?.problem },
    });
  }

  async function account(
    c: Context<HttpEnv>,
    identity: Identity,
    { made, refused }: { made?: SignInLink; refused?: Refused } = {},
  ): Promise<string> {
    const { id } = validated(Address, c.req.param());
    const found = await readAccount(database, identity, id);
    return adminAccountPage({
      visit: visitOf(c, services, identity),
      account: found,
      history: await accountHistory(database, identity, id),
      made,
      reason: refused?.typed.get("reason") ?? undefined,
      outcome: { problem: refused?.problem },
    });
  }

  async function link(c: Context<HttpEnv>, identity: Identity, asked: SignInLinkRequest): Promise<SignInLink> {
    const request = validated(SignInLinkRequest, asked);
    const { secret, account, expiresAt } = await makeLink(database, identity, request);
    return { url: `${originOf(c, services.site)}/sign-in/link?token=${secret}`, account, expiresAt };
  }
}
