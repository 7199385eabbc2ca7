/** Administration pages of runners: status, commands to them, and the tokens with which they join. */
import { ReasonRequest, TokenRequest, type NewToken } from "@kernelbot/core";
import { adminRunnerPage, adminRunnersPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../../auth/identity.ts";
import { createToken } from "../../auth/tokens.ts";
import { listJoinTokens, listRunners, readRunner } from "../list.ts";
import { changeStanding, revokeJoinToken, revokeRunner } from "../status.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { forRole, formsOf, type Refused } from "../../http/forms.ts";
import { readFields, validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

const NewJoinToken = z.object({
  label: z.string(),
  targets: z.string(),
  runners: z.coerce.number(),
  days: z.coerce.number(),
});

export function mountRunnerPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, runners: policy } = services;

  app.get(
    "/admin/runners",
    forRole(services, "administrator", async (c, identity) => c.html(await list(c, identity))),
  );

  const ofList = formsOf(services, (c, identity, { problem }) => list(c, identity, { problem }), "administrator");

  app.post(
    "/admin/runner-tokens",
    ofList(async (c, identity) => {
      const { targets, ...asked } = await readFields(c, NewJoinToken);
      const words = targets.split(/[\s,]+/).filter((word) => word !== "");
      const request = validated(TokenRequest, { ...asked, scopes: ["runner"], targets: words });
      return c.html(await list(c, identity, { made: await createToken(database, identity, request) }));
    }),
  );

  app.post(
    "/admin/runner-tokens/:id{[0-9]+}/revoke",
    ofList(async (c, identity) => {
      await revokeJoinToken(database, identity, idOf(c));
      return c.redirect("/admin/runners", 303);
    }),
  );

  app.get(
    "/admin/runners/:id{[0-9]+}",
    forRole(services, "administrator", async (c, identity) => c.html(await one(c, identity))),
  );

  const ofOne = formsOf(services, one, "administrator");
  const told = (c: Context<HttpEnv>): Response => c.redirect(`/admin/runners/${idOf(c)}`, 303);

  for (const to of ["pause", "drain"] as const) {
    app.post(
      `/admin/runners/:id{[0-9]+}/${to}`,
      ofOne(async (c, identity) => {
        const { reason } = await readFields(c, ReasonRequest);
        await changeStanding(database, identity, idOf(c), { to, reason });
        return told(c);
      }),
    );
  }

  app.post(
    "/admin/runners/:id{[0-9]+}/resume",
    ofOne(async (c, identity) => {
      await changeStanding(database, identity, idOf(c), { to: "resume" });
      return told(c);
    }),
  );

  app.post(
    "/admin/runners/:id{[0-9]+}/revoke",
    ofOne(async (c, identity) => {
      await revokeRunner(database, identity, idOf(c));
      return told(c);
    }),
  );

  async function list(
    c: Context<HttpEnv>,
    identity: Identity,
    { made, problem }: { made?: NewToken; problem?: string } = {},
  ): Promise<string> {
    const [runners, tokens] = await Promise.all([
      listRunners(database, identity, policy),
      listJoinTokens(database, identity),
    ]);
    return adminRunnersPage({
      visit: visitOf(c, services, identity),
      runners,
      tokens,
      server: originOf(c, services.site),
      made,
      outcome: { problem },
    });
  }

  async function one(c: Context<HttpEnv>, identity: Identity, refused?: Refused): Promise<string> {
    return adminRunnerPage({
      visit: visitOf(c, services, identity),
      runner: await readRunner(database, identity, idOf(c), policy),
      reason: refused?.typed.get("reason") ?? undefined,
      outcome: { problem: refused?.problem },
    });
  }
}

function idOf(c: Context<HttpEnv>): number {
  return validated(Id, c.req.param()).id;
}
