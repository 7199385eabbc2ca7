/** The page on which organisers manage problems. */
import { wholeNumber } from "@kernelbot/api";
import { ProblemName, TargetName } from "@kernelbot/core";
import { adminProblemsPage, pageWith } from "@kernelbot/web";
import { z } from "zod";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { carryOver } from "../../moderation/carry-over.ts";
import { closeProblem } from "../close.ts";
import { openProblem, takeProblems } from "../open.ts";
import { countOwnProblems, listOwnProblems } from "../overview.ts";
import { retireProblem } from "../retire.ts";
import type { Synced } from "../sync.ts";
import { form, page, type PageCall, type PageRoute } from "../../http/page.ts";

const Address = z.object({ name: ProblemName });

/** Row with which the page begins, or the problem that it contains. */
const Asked = z.object({
  from: wholeNumber(1, 2 ** 31 - 1).catch(1),
  problem: ProblemName.optional().catch(undefined),
});

const problems = page({
  path: "/admin/problems",
  access: "organiser",
  query: Asked,
  handle: (call) => renderProblems(call),
});

type Call = PageCall<Identity, unknown, z.infer<typeof Asked>>;

async function renderProblems(call: Call, updated?: Synced): Promise<string> {
  const { services, identity, visit, rejected, query } = call;
  const { all, before } = await countOwnProblems(services.database, identity, query.problem);
  const span = pageWith(query.problem === undefined ? query.from : before + 1, all);
  return adminProblemsPage({
    visit,
    span,
    problems: await listOwnProblems(services.database, identity, span),
    folder: hasRole(identity, "administrator") ? services.problemsFolder : null,
    now: new Date(),
    outcome: { problem: rejected?.problem, done: updated && syncMessage(updated) },
    broken: updated?.broken ?? [],
  });
}

const toProblem = ({ params }: { params: { name: string } }): string =>
  `/admin/problems?problem=${params.name}#problem-${params.name}`;

export const problemAdminPages: readonly PageRoute[] = [
  problems,

  form({
    path: "/admin/problems/take",
    on: problems,
    async handle(call) {
      const { c, services, identity } = call;
      const updated = await takeProblems(services.database, identity, services.problemsFolder);
      return c.html(await renderProblems(call, updated));
    },
  }),

  form({
    path: "/admin/problems/:name/close",
    on: problems,
    params: Address,
    handle: ({ services, identity, params }) => closeProblem(services.database, identity, params.name),
    redirectTo: toProblem,
  }),

  form({
    path: "/admin/problems/:name/retire",
    on: problems,
    params: Address,
    fields: z.object({ force: z.literal("yes").optional() }),
    handle: ({ services, identity, params: { name }, fields }) =>
      retireProblem(services.database, identity, name, { force: fields.force === "yes" }),
    redirectTo: toProblem,
  }),

  form({
    path: "/admin/problems/:name/rerun",
    on: problems,
    params: Address,
    fields: z.object({ target: TargetName, revision: wholeNumber(1, 1_000_000) }),
    handle: ({ services, identity, params: { name }, fields: { target, revision } }) =>
      carryOver(services.database, identity, { board: name, target, revision, top: null }),
    redirectTo: toProblem,
  }),

  form({
    path: "/admin/problems/:name/open",
    on: problems,
    params: Address,
    handle: ({ services, identity, params: { name } }) =>
      openProblem(services.database, identity, services.problemsFolder, { directory: name, visibility: null }),
    redirectTo: toProblem,
  }),
];

function syncMessage({ problems, kept }: Synced): string {
  const changed = problems.filter((problem) => problem.changed).map(({ name }) => name);
  const updated = changed.length === 0 ? "Nothing has changed." : `Updated: ${changed.join(", ")}.`;
  if (kept.length === 0) return updated;
  return `${updated} Unchanged, because a new version would reset a board that has entries: ${kept.map(({ name }) => name).join(", ")}.`;
}
