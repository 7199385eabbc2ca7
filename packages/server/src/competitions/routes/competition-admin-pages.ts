/** Pages on which organisers create, edit and close competitions and create invite codes. */
import { CompetitionName, CompetitionSpec, endedCompetition, InviteCode, type Competition } from "@kernelbot/core";
import { adminCompetitionsPage, competitionFormPage, INVITE_STATES, invitesPage, inviteState } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { changeCompetition, createCompetition } from "../change.ts";
import { listOrganised, readOrganised } from "../competitions.ts";
import { createInvites, listInvites, revokeInvite } from "../invites.ts";
import type { Identity } from "../../auth/identity.ts";
import { freeProblems } from "../../problems/overview.ts";
import { fieldsFor, LABELS, specOf } from "./competition-form.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { doneIn, forRole, formsOf, type Refused } from "../../http/forms.ts";
import { readFields, validated, wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

const Address = z.object({ name: CompetitionName });

/** Messages that `?done=` may select. They are fixed because anyone can craft a URL. */
const DONE = {
  made: "The competition is made.",
  saved: "It is saved, and holds from now on.",
  closed: "The competition has ended.",
  codes: "The codes are made; they stand first below.",
  revoked: "The code opens nothing any more.",
} as const;
const Done = doneIn(DONE);
const Invited = Done.extend({ state: z.enum(INVITE_STATES).optional().catch(undefined) });

export function mountCompetitionAdminPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/admin/competitions",
    forRole(services, "organiser", async (c, identity) => {
      const competitions = await listOrganised(database, identity);
      return c.html(
        await adminCompetitionsPage({ visit: visitOf(c, services, identity), competitions, now: new Date() }),
      );
    }),
  );

  app.get(
    "/admin/competitions/new",
    forRole(services, "organiser", async (c, identity) => c.html(await formPage(c, identity, null))),
  );

  app.get(
    "/admin/competitions/:name",
    forRole(services, "organiser", async (c, identity) => {
      const competition = await competitionOf(c, identity);
      return c.html(await formPage(c, identity, competition));
    }),
  );

  const making = formsOf(services, (c, identity, refused) => formPage(c, identity, null, refused), "organiser");
  app.post(
    "/admin/competitions",
    making(async (c, identity) => {
      const typed = new URLSearchParams(await c.req.text());
      const { name } = await createCompetition(database, identity, specOf(typed, typed.get("name") ?? ""));
      return c.redirect(`/admin/competitions/${name}?done=made`, 303);
    }),
  );

  const changing = formsOf(
    services,
    async (c, identity, refused) => formPage(c, identity, await competitionOf(c, identity), refused),
    "organiser",
  );
  app.post(
    "/admin/competitions/:name",
    changing(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      const spec = specOf(new URLSearchParams(await c.req.text()), name, await competitionOf(c, identity));
      await changeCompetition(database, identity, spec);
      // An organiser who transfers the competition may no longer see its form.
      const own = (await listOrganised(database, identity)).some((competition) => competition.name === name);
      return c.redirect(own ? `/admin/competitions/${name}?done=saved` : "/admin/competitions", 303);
    }),
  );

  app.post(
    "/admin/competitions/:name/close",
    changing(async (c, identity) => {
      const { organisers: _, ...competition } = await competitionOf(c, identity);
      // Whole seconds, as the form displays them.
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      await changeCompetition(
        database,
        identity,
        validated(CompetitionSpec, endedCompetition(competition, now), LABELS),
      );
      return c.redirect(`/admin/competitions/${competition.name}?done=closed`, 303);
    }),
  );

  app.get(
    "/admin/competitions/:name/invites",
    forRole(services, "organiser", async (c, identity) => c.html(await invites(c, identity))),
  );

  app.get(
    "/admin/competitions/:name/invites.txt",
    forRole(services, "organiser", async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      const free = (await listInvites(database, identity, name)).filter((invite) => inviteState(invite) === "free");
      const lines = free.map(({ code }) => `${originOf(c, services.site)}/join/${code}\n`);
      c.header("content-disposition", `attachment; filename="${name}-invites.txt"`);
      return c.text(lines.join(""));
    }),
  );

  const inviting = formsOf(services, (c, identity, { problem }) => invites(c, identity, problem), "organiser");
  app.post(
    "/admin/competitions/:name/invites",
    inviting(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      const typed = new URLSearchParams(await c.req.text());
      const { count } = validated(z.object({ count: wholeNumber(1, 10_000) }), { count: typed.get("count") });
      const competitions = [name, ...validated(z.array(CompetitionName).max(99), typed.getAll("competition"))];
      await createInvites(database, identity, { competitions, count });
      return c.redirect(`/admin/competitions/${name}/invites?done=codes#codes`, 303);
    }),
  );

  app.post(
    "/admin/competitions/:name/invites/revoke",
    inviting(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      await revokeInvite(database, identity, (await readFields(c, z.object({ code: InviteCode }))).code);
      return c.redirect(`/admin/competitions/${name}/invites?done=revoked#codes`, 303);
    }),
  );

  async function competitionOf(c: Context<HttpEnv>, identity: Identity): Promise<Competition> {
    return readOrganised(database, identity, validated(Address, c.req.param()).name);
  }

  async function formPage(
    c: Context<HttpEnv>,
    identity: Identity,
    competition: Competition | null,
    refused?: Refused,
  ): Promise<string> {
    const { done } = Done.parse(c.req.query());
    return competitionFormPage({
      visit: visitOf(c, services, identity),
      fields: fieldsFor(competition, refused?.typed),
      competition,
      choices: await freeProblems(database, competition?.name ?? null),
      now: new Date(),
      outcome: { done: done && DONE[done], problem: refused?.problem },
    });
  }

  async function invites(c: Context<HttpEnv>, identity: Identity, problem?: string): Promise<string> {
    const { done, state } = Invited.parse(c.req.query());
    const competition = await competitionOf(c, identity);
    const [own, invites] = await Promise.all([
      listOrganised(database, identity),
      listInvites(database, identity, competition.name),
    ]);
    return invitesPage({
      visit: visitOf(c, services, identity),
      competition,
      others: own.filter(({ name }) => name !== competition.name),
      invites,
      state,
      server: originOf(c, services.site),
      outcome: { done: done && DONE[done], problem },
    });
  }
}
