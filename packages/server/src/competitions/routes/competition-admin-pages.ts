/** Pages on which organisers create, edit and close competitions. */
import { CompetitionName, CompetitionSpec, endedCompetition, type Competition } from "@kernelbot/core";
import { adminCompetitionsPage, competitionFormPage } from "@kernelbot/web";
import { z } from "zod";
import { changeCompetition, createCompetition } from "../change.ts";
import { listOrganised, readOrganised } from "../competitions.ts";
import type { Identity } from "../../auth/identity.ts";
import { freeProblems } from "../../problems/overview.ts";
import { fieldsFor, LABELS, specOf } from "./competition-form.ts";
import { validated } from "../../http/input.ts";
import { doneQuery, form, page, type PageCall, type PageRoute } from "../../http/page.ts";
import { adminKindLinks } from "./kinds.ts";

const Address = z.object({ name: CompetitionName });

/** Messages that `?done=` may select. They are fixed because anyone can craft a URL. */
const DONE = {
  made: "Competition created.",
  saved: "Competition saved.",
  closed: "Competition ended.",
} as const;
const Done = doneQuery(DONE);

/** Renders the form of a competition, or of a new one where it is null. */
async function renderForm(
  { services, query: { done }, visit, rejected }: PageCall<Identity, unknown, z.infer<typeof Done>>,
  competition: Competition | null,
): Promise<string> {
  return competitionFormPage({
    visit,
    fields: fieldsFor(competition, rejected?.typed),
    competition,
    links: competition === null ? [] : adminKindLinks(services, competition.name),
    choices: await freeProblems(services.database, competition?.name ?? null),
    now: new Date(),
    outcome: { done: done && DONE[done], problem: rejected?.problem },
  });
}

const creation = page({
  path: "/admin/competitions/new",
  access: "organiser",
  query: Done,
  handle: (call) => renderForm(call, null),
});

const edit = page({
  path: "/admin/competitions/:name",
  access: "organiser",
  params: Address,
  query: Done,
  handle: async (call) =>
    renderForm(call, await readOrganised(call.services.database, call.identity, call.params.name)),
});

export const competitionAdminPages: readonly PageRoute[] = [
  page({
    path: "/admin/competitions",
    access: "organiser",
    async handle({ services, identity, visit }) {
      const competitions = await listOrganised(services.database, identity);
      return adminCompetitionsPage({ visit, competitions, now: new Date() });
    },
  }),

  creation,
  edit,

  form({
    path: "/admin/competitions",
    on: creation,
    async handle({ c, services, identity }) {
      const typed = new URLSearchParams(await c.req.text());
      const { name } = await createCompetition(services.database, identity, specOf(typed, typed.get("name") ?? ""));
      return `/admin/competitions/${name}?done=made`;
    },
  }),

  form({
    path: "/admin/competitions/:name",
    on: edit,
    async handle({ c, services: { database }, identity, params: { name } }) {
      const typed = new URLSearchParams(await c.req.text());
      const spec = specOf(typed, name, await readOrganised(database, identity, name));
      await changeCompetition(database, identity, spec);
      // An organiser who transfers the competition may no longer see its form.
      const own = (await listOrganised(database, identity)).some((competition) => competition.name === name);
      return own ? `/admin/competitions/${name}?done=saved` : "/admin/competitions";
    },
  }),

  form({
    path: "/admin/competitions/:name/close",
    on: edit,
    async handle({ services: { database }, identity, params: { name } }) {
      const { organisers: _, ...competition } = await readOrganised(database, identity, name);
      // Whole seconds, as the form displays them.
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      const ended = validated(CompetitionSpec, endedCompetition(competition, now), LABELS);
      await changeCompetition(database, identity, ended);
      return `/admin/competitions/${name}?done=closed`;
    },
  }),
];
