/**
 * The administration pages: server overview, accounts, and audit log. Organisers see only the overview, limited to
 * their own competitions.
 */
import { wholeNumber } from "@kernelbot/api";
import { Reason, ROLES, SignInLinkRequest, type SignInLink } from "@kernelbot/core";
import { accountsPage, adminAccountPage, adminOverviewPage, auditPage } from "@kernelbot/web";
import { z } from "zod";
import { listOrganised } from "../../competitions/competitions.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { serverFacts } from "../facts.ts";
import { setGate } from "../../submissions/gate.ts";
import { ban, unban } from "../../moderation/ban.ts";
import { accountHistory } from "../../moderation/history.ts";
import { changeRoles, listAccounts, readAccount } from "../../auth/accounts.ts";
import { auditActs, readAudit } from "../../auth/audit.ts";
import { createSignInLink } from "../../auth/sign-in-links.ts";
import { optional, validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageCall, type PageRoute } from "../../http/page.ts";

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

const overview = page({
  path: "/admin",
  access: "organiser",
  async handle({ services: { database, problemsFolder }, identity, visit, rejected }) {
    const isAdministrator = hasRole(identity, "administrator");
    return adminOverviewPage({
      visit,
      facts: isAdministrator ? await serverFacts(database, identity, problemsFolder) : null,
      competitions: await listOrganised(database, identity),
      now: new Date(),
      outcome: { problem: rejected?.problem },
    });
  },
});

const accounts = page({
  path: "/admin/accounts",
  access: "administrator",
  query: AccountsQuery,
  handle: (call) => renderAccounts(call),
});

async function renderAccounts(
  call: PageCall<Identity, unknown, z.infer<typeof AccountsQuery>>,
  made?: SignInLink,
): Promise<string> {
  const { services, identity, visit, rejected } = call;
  const { after, ...query } = call.query;
  const found = await listAccounts(services.database, identity, { ...query, after, limit: PAGE + 1 });
  return accountsPage({
    visit,
    accounts: found.slice(0, PAGE),
    more: found.length > PAGE,
    query,
    made,
    typed: rejected?.typed.get("name") ?? undefined,
    outcome: { problem: rejected?.problem },
  });
}

const account = page({
  path: "/admin/accounts/:id",
  access: "administrator",
  params: Address,
  handle: (call) => renderAccount(call),
});

async function renderAccount(call: PageCall<Identity, { id: string }>, made?: SignInLink): Promise<string> {
  const { services, identity, params, visit, rejected } = call;
  return adminAccountPage({
    visit,
    account: await readAccount(services.database, identity, params.id),
    history: await accountHistory(services.database, identity, params.id),
    made,
    reason: rejected?.typed.get("reason") ?? undefined,
    outcome: { problem: rejected?.problem },
  });
}

async function createLink({ c, services, identity }: PageCall, fields: SignInLinkRequest): Promise<SignInLink> {
  const request = validated(SignInLinkRequest, fields);
  const { secret, account, expiresAt } = await createSignInLink(services.database, identity, request);
  return { url: `${originOf(c, services.site)}/sign-in/link?token=${secret}`, account, expiresAt };
}

export const adminPages: readonly PageRoute[] = [
  overview,

  form({
    path: "/admin/gate",
    access: "administrator",
    on: overview,
    fields: z.object({ gate: z.enum(["open", "shut"]) }),
    handle: ({ services, identity, fields: { gate } }) => setGate(services.database, identity, gate === "open"),
    redirectTo: () => "/admin#gate",
  }),

  accounts,

  form({
    path: "/admin/accounts",
    on: accounts,
    fields: Hours.extend({ name: z.string() }),
    async handle(call) {
      return call.c.html(await renderAccounts(call, await createLink(call, { ...call.fields, create: true })));
    },
  }),

  account,

  form({
    path: "/admin/accounts/:id/roles",
    on: account,
    async handle({ c, services: { database }, identity, params }) {
      const { id, name, assignedRoles } = await readAccount(database, identity, params.id);
      const requested = validated(z.array(z.enum(ROLES)), new URLSearchParams(await c.req.text()).getAll("role"));
      const add = requested.filter((role) => !assignedRoles.includes(role));
      const remove = assignedRoles.filter((role) => !requested.includes(role));
      if (add.length + remove.length > 0) await changeRoles(database, identity, name, { add, remove });
      return `/admin/accounts/${encodeURIComponent(id)}`;
    },
  }),

  form({
    path: "/admin/accounts/:id/link",
    on: account,
    fields: Hours,
    async handle(call) {
      const { c, services, identity, params, fields } = call;
      const { name } = await readAccount(services.database, identity, params.id);
      return c.html(await renderAccount(call, await createLink(call, { ...fields, name, create: false })));
    },
  }),

  ...Object.entries({ ban, unban }).map(([action, perform]) =>
    form({
      path: `/admin/accounts/:id/${action}`,
      on: account,
      fields: z.object({ reason: z.string() }),
      async handle({ services: { database }, identity, params, fields }) {
        const { id, name } = await readAccount(database, identity, params.id);
        const reason = validated(Reason, fields.reason.replaceAll("\r\n", "\n"));
        await perform(database, identity, { account: name, reason });
        return `/admin/accounts/${encodeURIComponent(id)}`;
      },
    }),
  ),

  page({
    path: "/admin/audit",
    access: "administrator",
    query: AuditQuery,
    async handle({ services: { database }, identity, query: { before, ...query }, visit }) {
      const [entries, acts] = await Promise.all([
        readAudit(database, identity, { ...query, before, limit: PAGE + 1 }),
        auditActs(database, identity),
      ]);
      return auditPage({ visit, entries: entries.slice(0, PAGE), more: entries.length > PAGE, acts, query });
    },
  }),
];
