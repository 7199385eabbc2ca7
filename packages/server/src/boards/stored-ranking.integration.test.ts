/** `ranking`, from which boards are read, equals the computed view after any sequence of changes. */
import { expect, test } from "vitest";
import { changeCompetition } from "../competitions/change.ts";
import { joinTeam, leaveTeam, createTeam } from "../competitions/teams.ts";
import { openDatabase } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { acceptRun } from "../moderation/decide.ts";
import { ban, unban } from "../moderation/ban.ts";
import { flagRun } from "../moderation/flag.ts";
import { removeOwn, restore } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { syncProblems } from "../problems/sync.ts";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, person, problemFiles, problemTree, ranked, reported } from "@kernelbot/testing/fixtures.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";

useScene();
useOrganiser();

/** Returns the rows that differ between the table and the view, including a wrong `is_best`. */
async function differences(): Promise<unknown[]> {
  return database.sql`
    with computed as (
      select to_jsonb(c) || jsonb_build_object('is_best', row_number() over (
        partition by problem, target, revision, entrant order by time_ns, entry_run_id) = 1) as row from ranking_query c
    ), kept as (select to_jsonb(k) as row from ranking k)
    (select 'missing', row from computed except all select 'missing', row from kept)
    union all (select 'kept', row from kept except all select 'kept', row from computed)`;
}

/** Returns a deterministic generator of pseudo-random integers below a bound. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test.each([1, 2, 3])("the stored entries match the rules after each step of random history %i", async (seed) => {
  const below = random(seed);
  await made({ startsAt: "2020-01-01T00:00:00Z", teamSize: 3 });
  const people = [ann, bob, await person(database, "cleo")];
  const submissions: { id: number; who: Identity }[] = [];
  const codes: string[] = [];
  let version = 0;
  const steps: (() => Promise<unknown>)[] = [
    ...Array.from({ length: 6 }, () => async () => {
      const who = people[below(3)] as Identity;
      const where = { board: below(3) > 0 ? "triple" : "double", targets: below(2) > 0 ? ["cpu", "H100"] : ["cpu"] };
      submissions.push({ id: await ranked(database, who, box, 100 + below(5), { ...where, targets: ["cpu"] }), who });
    }),
    async () => {
      const one = submissions[below(submissions.length)];
      if (one === undefined) return;
      await rerunSubmission(database, root, one.id);
      await reported(database, box, await claimed(database, box), passing("ranked", [90 + below(40), 100]));
    },
    async () => {
      const one = submissions[below(submissions.length)];
      if (one !== undefined) await removeOwn(database, one.who, one.id);
    },
    async () => {
      const one = submissions[below(submissions.length)];
      if (one !== undefined) await restore(database, root, one.id, { reason: "it was right" });
    },
    async () => {
      const [run] = await database.sql<{ run_id: number }>`select run_id from ranking order by run_id desc limit 1`;
      if (run === undefined) return;
      await flagRun(database, root, run.run_id, "look");
      expect(await differences()).toEqual([]);
      if (below(2) > 0)
        await acceptRun(database, root, run.run_id, { reason: "it is right" }, await testSigner(database));
    },
    () => ban(database, root, { account: "bob", reason: "a while" }),
    () => unban(database, root, { account: "bob", reason: "again" }),
    async () => {
      const team = await createTeam(database, people[below(3)] as Identity, "spring", `Team ${below(1000)}`);
      if (team.code !== null) codes.push(team.code);
    },
    () => joinTeam(database, people[below(3)] as Identity, "spring", codes[below(codes.length)] ?? ""),
    () => leaveTeam(database, people[below(3)] as Identity, "spring"),
    () =>
      changeCompetition(database, olga, {
        ...spec({
          startsAt: "2020-01-01T00:00:00Z",
          teamSize: 3,
          problems: below(2) > 0 ? ["triple"] : ["double", "triple"],
        }),
        ...(below(2) > 0 ? { endsAt: inHours(below(3) - 1) } : { targets: below(2) > 0 ? ["cpu"] : ["H100"] }),
      }),
    async () => {
      version += 1;
      const files = problemFiles((task) => task.replace("size: 8", `size: ${8 + (version % 2)}`));
      await syncProblems(database, problemTree({ "set/double": files, "set/triple": files }));
    },
  ];
  let happened = 0;
  for (let step = 0; step < 30; step += 1) {
    // A change that is not allowed at the moment is not counted.
    await steps[below(steps.length)]?.().then(
      () => (happened += 1),
      (error: unknown) => expect(error).toHaveProperty("code"),
    );
    expect(await differences()).toEqual([]);
  }
  expect(happened).toBeGreaterThan(10);
});

test("a verdict and a ban that commit concurrently leave no entry of the banned account", async () => {
  const other = await openDatabase({ url: database.url });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([
      ranked(database, bob, box, 100),
      other.sql`update account set banned_at = now(), ban_reason = 'x' where id = ${bob.account.id}`,
    ]);
    expect(await differences()).toEqual([]);
    await other.sql`update account set banned_at = null, ban_reason = null where id = ${bob.account.id}`;
    expect(await differences()).toEqual([]);
  }
  await other.close();
});
