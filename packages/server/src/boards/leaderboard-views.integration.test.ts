/**
 * The views of the schema `leaderboard`, read as the web front end of the existing system reads its tables: by a role that
 * may read nothing else, with joins, window functions and JSON aggregates of the kinds that it sends.
 */
import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { openClient } from "../db/client.ts";
import { changeCompetition } from "../competitions/change.ts";
import { createTeam } from "../competitions/teams.ts";
import { ban } from "../moderation/ban.ts";
import { removeAny } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { listProblems } from "../problems/problems.ts";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, person, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readBoard } from "./boards.ts";

useScene();
useOrganiser();

/** Reads as a role that may read the views only. The role exists within the transaction, which is rolled back. */
async function read<Row>(query: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = openClient(database.connection);
  try {
    await client.query("begin");
    await client.query("create role board_reader");
    await client.query("grant usage on schema leaderboard to board_reader");
    await client.query("grant select on all tables in schema leaderboard to board_reader");
    await client.query("set local role board_reader");
    return [...((await client.query(query, values as never[])) as unknown as Row[])];
  } finally {
    await client.query("rollback");
    await client.end(1);
  }
}

interface Place {
  user_name: string;
  submission_id: number;
  score: number;
}

/** Returns the ranking of a board: the best run of each user, as the front end selects it. */
async function ranking(problem: string, gpu: string): Promise<Place[]> {
  const [row] = await read<{ places: Place[] | null }>(
    `with best as (
      select u.user_name, r.submission_id, r.score,
        rank() over (partition by r.runner, u.id order by r.score) as place
      from leaderboard.runs r
      join leaderboard.submission s on s.id = r.submission_id
      left join leaderboard.user_info u on u.id = s.user_id
      join leaderboard.leaderboard l on l.id = s.leaderboard_id
      where not r.secret and r.score is not null and r.passed and l.name = $1 and r.runner = $2)
    select jsonb_agg(jsonb_build_object('user_name', user_name, 'submission_id', submission_id, 'score', score) order by score)
      as places from best where place = 1`,
    [problem, gpu],
  );
  return row?.places ?? [];
}

/** Returns the same ranking by the API of boards. */
async function boardRanking(problem: string, target: string): Promise<Place[]> {
  const { rows } = await readBoard(database, STRANGER, problem, target);
  return rows.map(({ team, account, submissionId, timeNs }) => ({
    user_name: team?.name ?? account.name,
    submission_id: submissionId,
    score: timeNs.value / 1e9,
  }));
}

const names = async (query: string) => (await read<{ name: string }>(query)).map(({ name }) => name);

test("a ranking by SQL equals the board of the API", async () => {
  const cleo = await person(database, "cleo");
  await ranked(database, ann, box, 300, { targets: ["cpu"] });
  const better = await ranked(database, ann, box, 150, { targets: ["cpu"] });
  await ranked(database, bob, box, 200, { targets: ["cpu"] });
  const withdrawn = await ranked(database, cleo, box, 50, { targets: ["cpu"] });
  await ranked(database, cleo, box, 400, { targets: ["cpu"] });
  await ranked(database, bob, box, 70, { targets: ["H100"] });
  await removeAny(database, root, withdrawn, { reason: "a copy" });
  await rerunSubmission(database, root, better);
  await reported(database, box, await claimed(database, box), passing("ranked", [160, 160]));
  for (const target of ["cpu", "H100"]) {
    const expected = await boardRanking("double", target);
    expect(expected.length).toBe(target === "cpu" ? 3 : 1);
    expect(await ranking("double", target)).toEqual(expected);
  }
  await ban(database, root, { account: "bob", reason: "spam" });
  expect(await ranking("double", "cpu")).toEqual(await boardRanking("double", "cpu"));
  expect(await names("select user_name as name from leaderboard.user_info order by 1")).toEqual(["ann", "cleo"]);
});

test("a team is one user", async () => {
  await made({ startsAt: inHours(-1), teamSize: 2 });
  await createTeam(database, ann, "spring", "Fast ones");
  await ranked(database, ann, box, 100, { board: "triple" });
  await ranked(database, bob, box, 90, { board: "triple" });
  expect(await ranking("triple", "cpu")).toEqual(await boardRanking("triple", "cpu"));
  expect(await names("select user_name as name from leaderboard.user_info where id like 'team:%'")).toEqual([
    "Fast ones",
  ]);
});

test.each(["public", "unlisted", "closed"] as const)(
  "the views show of a %s competition what visitors see",
  async (visibility) => {
    await made({ startsAt: inHours(-1), visibility, participants: "everyone" });
    await ranked(database, olga, box, 100, { board: "triple" });
    await submitted(database, ann, { board: "double" });
    const listed = (await listProblems(database, STRANGER)).map(({ name }) => name).toSorted();
    expect(listed).toEqual(visibility === "public" ? ["double", "triple"] : ["double"]);
    expect(await names("select name from leaderboard.leaderboard order by 1")).toEqual(listed);
    const boards = await names(`select distinct l.name from leaderboard.gpu_type g
    join leaderboard.leaderboard l on l.id = g.leaderboard_id order by 1`);
    expect(boards).toEqual(listed);
    const entries = visibility === "public" ? 1 : 0;
    for (const view of ["runs", "submission", "user_info"]) {
      expect([view, await read(`select 1 from leaderboard.${view}`)]).toHaveProperty("1.length", entries);
    }
  },
);

test("the views hide what a freeze hides", async () => {
  await made({ startsAt: inHours(-2), freezeAt: inHours(1), endsAt: inHours(2) });
  await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(
    database,
    olga,
    spec({ startsAt: inHours(-2), freezeAt: new Date().toISOString(), endsAt: inHours(2) }),
  );
  await ranked(database, bob, box, 50, { board: "triple" });
  expect(await ranking("triple", "cpu")).toEqual(await boardRanking("triple", "cpu"));
  expect(await names("select user_name as name from leaderboard.user_info")).toEqual(["ann"]);
});

test("a summary of all leaderboards has the targets and the first three users", async () => {
  await ranked(database, ann, box, 100);
  const [row] = await read<{ summary: unknown }>(
    `with best as (
      select s.leaderboard_id, u.user_name, min(r.score) as score
      from leaderboard.runs r join leaderboard.submission s on s.id = r.submission_id
      left join leaderboard.user_info u on u.id = s.user_id
      where r.runner = 'cpu' group by 1, 2)
    select jsonb_build_object('name', l.name, 'deadline', l.deadline, 'visibility', l.visibility, 'lang', l.task ->> 'lang',
      'benchmarks', l.task -> 'benchmarks', 'reference', l.task -> 'files' ->> 'reference.py',
      'gpus', (select jsonb_agg(g.gpu_type order by 1) from leaderboard.gpu_type g where g.leaderboard_id = l.id),
      'top', (select jsonb_agg(jsonb_build_object('user', b.user_name, 'score', b.score)) from best b
        where b.leaderboard_id = l.id)) as summary
    from leaderboard.leaderboard l where l.name = 'double'`,
  );
  expect(row?.summary).toEqual({
    name: "double",
    deadline: "2100-01-01T00:00:00+00:00",
    visibility: "public",
    lang: "py",
    benchmarks: [
      { size: 8, seed: 2 },
      { size: 16, seed: 3 },
    ],
    reference: null,
    gpus: ["H100", "cpu"],
    top: [{ user: "ann", score: 1e-7 }],
  });
});

test("histories and searches find the users of a leaderboard", async () => {
  const id = await ranked(database, ann, box, 300);
  const better = await ranked(database, ann, box, 100);
  const users = await read<{ id: string }>(
    `select distinct u.id, u.user_name from leaderboard.user_info u join leaderboard.submission s on s.user_id = u.id
    join leaderboard.leaderboard l on l.id = s.leaderboard_id where l.name = 'double' and u.user_name ilike $1`,
    ["%AN%"],
  );
  expect(users).toMatchObject([{ id: ann.account.id, user_name: "ann" }]);
  const history = await read(
    `select s.id, r.score::float8 as score, s.file_name from leaderboard.submission s
    join leaderboard.runs r on r.submission_id = s.id where s.user_id in ($1) and r.passed and not r.secret
    order by s.submission_time`,
    [ann.account.id],
  );
  expect(history).toEqual([
    { id, score: 3e-7, file_name: "kernel.py" },
    { id: better, score: 1e-7, file_name: "kernel.py" },
  ]);
});

test.each([
  "select from public.account",
  "select from public.token",
  "select from public.code",
  "insert into leaderboard.user_info (id) values ('x')",
  "delete from leaderboard.leaderboard",
])("the role of the front end may not: %s", async (query) => {
  await expect(read(query)).rejects.toThrow(/permission denied|cannot (insert|delete)/);
});
