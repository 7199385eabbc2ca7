/** Administration pages of runners: status, commands to them, and the tokens with which they join. */
import { Id } from "@kernelbot/api";
import { ReasonRequest, TokenRequest, type NewToken } from "@kernelbot/core";
import { adminRunnerPage, adminRunnersPage } from "@kernelbot/web";
import { z } from "zod";
import { createToken } from "../../auth/tokens.ts";
import { listJoinTokens, listRunners, readRunner } from "../list.ts";
import { changeRunnerStatus, revokeJoinToken, revokeRunner } from "../status.ts";
import { unknownTargets } from "../unknown-targets.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageCall, type PageRoute } from "../../http/page.ts";

const list = page({ path: "/admin/runners", access: "administrator", handle: (call) => renderList(call) });

async function renderList(call: PageCall, made?: NewToken): Promise<string> {
  const { c, services, identity, visit, rejected } = call;
  const [runners, tokens] = await Promise.all([
    listRunners(services.database, identity, services.runners),
    listJoinTokens(services.database, identity),
  ]);
  const outcome = { problem: rejected?.problem };
  return adminRunnersPage({ visit, runners, tokens, server: originOf(c, services.site), made, outcome });
}

const runner = page({
  path: "/admin/runners/:id{[0-9]+}",
  access: "administrator",
  params: Id,
  async handle({ services, identity, params, visit, rejected }) {
    return adminRunnerPage({
      visit,
      runner: await readRunner(services.database, identity, params.id, services.runners),
      reason: rejected?.typed.get("reason") ?? undefined,
      outcome: { problem: rejected?.problem },
    });
  },
});

const toRunner = ({ params }: { params: { id: number } }): string => `/admin/runners/${params.id}`;

export const runnerPages: readonly PageRoute[] = [
  list,

  form({
    path: "/admin/runner-tokens",
    on: list,
    fields: z.object({
      label: z.string(),
      targets: z.string(),
      runners: z.coerce.number(),
      days: z.coerce.number(),
    }),
    async handle(call) {
      const { c, services, identity, fields } = call;
      const targets = fields.targets.split(/[\s,]+/).filter((word) => word !== "");
      const request = validated(TokenRequest, { ...fields, scopes: ["runner"], targets });
      const made = await createToken(services.database, identity, request);
      const warnings = await unknownTargets(services.database, targets, services.runners);
      return c.html(await renderList(call, { ...made, warnings }));
    },
  }),

  form({
    path: "/admin/runner-tokens/:id{[0-9]+}/revoke",
    on: list,
    params: Id,
    handle: ({ services, identity, params: { id } }) => revokeJoinToken(services.database, identity, id),
    redirectTo: () => "/admin/runners",
  }),

  runner,

  ...(["pause", "drain"] as const).map((to) =>
    form({
      path: `/admin/runners/:id{[0-9]+}/${to}`,
      on: runner,
      params: Id,
      fields: ReasonRequest,
      handle: ({ services, identity, params: { id }, fields: { reason } }) =>
        changeRunnerStatus(services.database, identity, id, { to, reason }),
      redirectTo: toRunner,
    }),
  ),

  form({
    path: "/admin/runners/:id{[0-9]+}/resume",
    on: runner,
    params: Id,
    handle: ({ services, identity, params: { id } }) =>
      changeRunnerStatus(services.database, identity, id, { to: "resume" }),
    redirectTo: toRunner,
  }),

  form({
    path: "/admin/runners/:id{[0-9]+}/revoke",
    on: runner,
    params: Id,
    handle: ({ services, identity, params: { id } }) => revokeRunner(services.database, identity, id),
    redirectTo: toRunner,
  }),
];
