/** The page on which organisers manage problems. */
import { ProblemName, TargetName } from "@kernelbot/core";
import { adminProblemsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { carryOver } from "../../moderation/carry-over.ts";
import { closeProblem } from "../close.ts";
import { openProblem, takeProblems } from "../open.ts";
import { listOwnProblems } from "../overview.ts";
import { retireProblem } from "../retire.ts";
import type { Synced } from "../sync.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { forRole, formsOf } from "../../http/forms.ts";
import { readFields, validated, wholeNumber } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

const Address = z.object({ name: ProblemName });
const Rerun = z.object({ target: TargetName, edition: wholeNumber(1, 1_000_000) });
const Retire = z.object({ force: z.literal("yes").optional() });

export function mountProblemAdminPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, problemsFolder } = services;

  async function pageOf(
    c: Context<HttpEnv>,
    identity: Identity,
    { problem, taken }: { problem?: string; taken?: Synced } = {},
  ): Promise<string> {
    return adminProblemsPage({
      visit: visitOf(c, services, identity),
      problems: await listOwnProblems(database, identity),
      folder: hasRole(identity, "administrator") ? problemsFolder : null,
      now: new Date(),
      outcome: { problem, done: taken && takenWords(taken) },
      broken: taken?.broken ?? [],
    });
  }

  app.get(
    "/admin/problems",
    forRole(services, "organiser", async (c, identity) => c.html(await pageOf(c, identity))),
  );

  const act = formsOf(services, (c, identity, { problem }) => pageOf(c, identity, { problem }), "organiser");

  app.post(
    "/admin/problems/take",
    act(async (c, identity) =>
      c.html(await pageOf(c, identity, { taken: await takeProblems(database, identity, problemsFolder) })),
    ),
  );

  app.post(
    "/admin/problems/:name/close",
    act(async (c, identity) => {
      const { name } = await closeProblem(database, identity, validated(Address, c.req.param()).name);
      return c.redirect(`/admin/problems#problem-${name}`, 303);
    }),
  );

  app.post(
    "/admin/problems/:name/retire",
    act(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      const { force } = await readFields(c, Retire);
      await retireProblem(database, identity, name, { force: force === "yes" });
      return c.redirect(`/admin/problems#problem-${name}`, 303);
    }),
  );

  app.post(
    "/admin/problems/:name/rerun",
    act(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      const { target, edition } = await readFields(c, Rerun);
      await carryOver(database, identity, { board: name, target, edition, top: null });
      return c.redirect(`/admin/problems#problem-${name}`, 303);
    }),
  );

  app.post(
    "/admin/problems/:name/open",
    act(async (c, identity) => {
      const { name } = validated(Address, c.req.param());
      await openProblem(database, identity, problemsFolder, { directory: name, visibility: null });
      return c.redirect(`/admin/problems#problem-${name}`, 303);
    }),
  );
}

function takenWords({ problems, kept }: Synced): string {
  const changed = problems.filter((problem) => problem.changed).map(({ name }) => name);
  const taken = changed.length === 0 ? "Nothing has changed there." : `Taken: ${changed.join(", ")}.`;
  if (kept.length === 0) return taken;
  return `${taken} Left as they are, since a new version would begin a board anew that has entries: ${kept.map(({ name }) => name).join(", ")}.`;
}
