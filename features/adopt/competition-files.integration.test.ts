/** Competition files, taken with `update-problems` after an adoption: they name leaderboards that were adopted. */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openArchiveServer } from "@kernelbot/testing/archive.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { changeExisting, fillExisting } from "@kernelbot/testing/existing-kernelbot/existing-kernelbot.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { STRANGER } from "@kernelbot/server/src/auth/visibility.ts";
import { findCompetition, readCompetition } from "@kernelbot/server/src/competitions/competitions.ts";
import { externalConnection } from "@kernelbot/server/src/db/database.ts";
import type { Connection } from "@kernelbot/server/src/db/client.ts";
import { adopt, type AdoptCounts } from "./adopt.ts";
import { openReport } from "./report.ts";

/** Boards 1 and 3 are public, 2 and 4 closed. */
const ROWS = { users: 40, leaderboards: 4, submissions: 400 };
const userId = (user: number): string => String(100_000_000_000_000_000n + BigInt(user));

const TASK = `lang: "py"
description: "Sum of a vector"
files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "eval.py", "source": "eval.py"}
  - {"name": "reference.py", "source": "reference.py"}
config: {main: "eval.py"}
tests: [{"size": 127, "seed": 4242}]
benchmarks: [{"size": 1024, "seed": 1}, {"size": 2048, "seed": 2}]
test_timeout: 180
benchmark_timeout: 180
ranked_timeout: 180
ranking_by: "geom"
`;

/** Returns a competition file of these boards and their directories, with the harness that their leaderboards have. */
function competitionOf(file: string, boards: readonly number[]): Record<string, string> {
  const entries = boards.map(
    (n) => `  - {directory: ${file}/b${n}, name: board_${n}, deadline: "2100-0${n}-01", gpus: [A100, MI300]}`,
  );
  const directories = boards.map((n) => ({
    [`${file}/b${n}/task.yml`]: TASK,
    [`${file}/b${n}/eval.py`]: `# harness ${n}`,
    [`${file}/b${n}/reference.py`]: "# reference",
  }));
  const listed = `name: The ${file} challenge\ndeadline: ""\nproblems:\n${entries.join("\n")}\n`;
  return Object.assign({ [`${file}.yaml`]: listed }, ...directories) as Record<string, string>;
}

interface Adopted extends AsyncDisposable {
  server: TestServer;
  from: Connection;
  pass: () => Promise<AdoptCounts>;
  /** Runs update-problems for one competition file and returns the response. */
  update: (file: string) => Promise<unknown>;
  join: (user: number, code: string) => Promise<unknown>;
}

async function openAdopted(files: Record<string, string>): Promise<Adopted> {
  const archives = await openArchiveServer(files);
  const server = await openTestServer({ archives: archives.url });
  const { database } = server;
  await database.sql`update problem set number = number + 1000`;
  const from = externalConnection(await emptyDatabase());
  await fillExisting(from, ROWS);
  const pass = () =>
    adopt({
      ...{ database, from, source: "old", isRehearsal: false, includeUnfinished: false, maxRemovals: 10 },
      ...{ report: openReport(() => undefined), progress: { begin: () => undefined, add: () => undefined } },
    });
  await pass();
  const token = await server.token("root", ["admin", "read"]);
  const post = (path: string, headers: Record<string, string>, body: object): Promise<Response> =>
    Promise.resolve(
      server.app.request(path, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  return {
    ...{ server, from, pass },
    update: async (file) => {
      const request = { repository: "some/kernels", branch: "main", problem_set: file, force: false };
      return (await (
        await post("/admin/update-problems", { authorization: `Bearer ${token}` }, request)
      ).json()) as unknown;
    },
    join: async (user, code) => {
      const cliId = hash("md5", `cli ${user}`).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      return (await (await post("/user/join", { "x-popcorn-cli-id": cliId }, { code })).json()) as unknown;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await archives[Symbol.asyncDispose]();
    },
  };
}

async function entriesOf({ server }: Adopted): Promise<string[]> {
  const { rows } = await sql<{ entry: string }>`
    select concat_ws(' ', problem, target, account_id, submission_id, time_ns) as entry from unfrozen_board_entry
    where problem like 'board_%' order by problem, target, time_ns, entry_run_id`.execute(server.database.db);
  return rows.map(({ entry }) => entry);
}

test("update-problems moves adopted leaderboards into the competition of their file, with entries, limits and dates", async () => {
  await using adopted = await openAdopted(competitionOf("summer", [1, 3]));
  const { database } = adopted.server;
  const own = await findCompetition(database, "board_1");
  const { startsAt } = await findCompetition(database, "board_3");
  expect(startsAt < own.startsAt).toBe(true);
  const before = await entriesOf(adopted);
  expect(before.length).toBeGreaterThan(30);

  expect(await adopted.update("summer")).toMatchObject({ status: "ok", updated: ["board_1", "board_3"], errors: [] });
  expect(await entriesOf(adopted)).toEqual(before);
  expect(await findCompetition(database, "summer")).toMatchObject({
    ...{ title: "The summer challenge", visibility: "public", codeVisibility: "never", startsAt },
    endsAt: "2100-03-01T00:00:00.000Z",
    problems: [
      { name: "board_1", endsAt: "2100-01-01T00:00:00.000Z", limits: own.problems[0]?.limits },
      { name: "board_3", endsAt: null, limits: own.problems[0]?.limits },
    ],
  });
  expect(await readCompetition(database, STRANGER, "board_1")).toBeNull();

  expect(await adopted.update("summer")).toMatchObject({
    updated: [],
    skipped: [{ name: "board_1" }, { name: "board_3" }],
    errors: [],
  });
  expect(await adopted.pass()).toMatchObject({ leaderboards: 0, submissions: 0, removed: 0 });
  expect(await entriesOf(adopted)).toEqual(before);
});

test("codes of closed leaderboards admit to the competition that they moved into", async () => {
  await using adopted = await openAdopted(competitionOf("autumn", [2, 4]));
  const { database } = adopted.server;
  const [code] = await database.sql<{ code: string }>`select code from invite where claimed_by is null`;
  const members = async (...names: string[]) =>
    (
      await database.sql<{ id: string }>`
        select distinct account_id as id from competition_member where competition = any(${names}) order by 1`
    ).map(({ id }) => id);
  const before = await members("board_2", "board_4");
  expect(await adopted.update("autumn")).toMatchObject({ updated: ["board_2", "board_4"], errors: [] });
  expect(await readCompetition(database, STRANGER, "autumn")).toBeNull();
  expect(await members("autumn")).toEqual(expect.arrayContaining(before));
  expect(await adopted.join(1, code?.code ?? "")).toEqual({ status: "ok", leaderboards: ["board_2", "board_4"] });

  // A leaderboard and a code that the existing system gets before the last pass.
  await changeExisting(
    adopted.from,
    `insert into leaderboard.leaderboard_invite (code, created_at) values ('-ABCDEFGHIJKLMNOPQRST_', now());
     insert into leaderboard.leaderboard_invite_scope select max(id), 2 from leaderboard.leaderboard_invite`,
  );
  expect(await adopted.pass()).toMatchObject({ invites: 1 });
  expect(await adopted.join(3, "-ABCDEFGHIJKLMNOPQRST_")).toMatchObject({ leaderboards: ["board_2", "board_4"] });
});

test("a file that lists a public and a closed leaderboard is refused, and says what to change", async () => {
  await using adopted = await openAdopted(competitionOf("winter", [1, 2]));
  const { database } = adopted.server;
  const before = await entriesOf(adopted);
  expect(await adopted.update("winter")).toMatchObject({
    errors: [
      {
        name: "winter.yaml",
        error:
          "board_2 cannot move from its own competition board_2 into winter: visibility is closed there and public here. " +
          "Set both to the same, then try again",
      },
    ],
  });
  expect(await readCompetition(database, STRANGER, "board_1")).not.toBeNull();
  expect(await entriesOf(adopted)).toEqual(before);

  await database.sql`update competition set visibility = 'public' where name = 'board_2'`;
  expect(await adopted.update("winter")).toMatchObject({ errors: [] });
  expect(await entriesOf(adopted)).toEqual(before);
});

test("a competition that is more than an adopted leaderboard keeps its boards", async () => {
  await using adopted = await openAdopted(competitionOf("spring", [1, 3]));
  const { database } = adopted.server;
  await database.sql`insert into team (competition, name, code) values ('board_1', 'Red', ${"0".repeat(32)})`;
  expect(await adopted.update("spring")).toMatchObject({
    errors: [{ name: "spring.yaml", error: "the problem board_1 is already in the competition board_1" }],
  });
  expect((await findCompetition(database, "board_3")).problems).toMatchObject([{ name: "board_3" }]);
});

test("sources of adopted submissions stay with their authors, whatever the rule of the competition at the next pass", async () => {
  await using adopted = await openAdopted(competitionOf("summer", [1, 3]));
  const { database } = adopted.server;
  await database.sql`update competition set code_visibility = 'always' where name = 'board_1'`;
  await changeExisting(
    adopted.from,
    `insert into leaderboard.submission (leaderboard_id, file_name, user_id, code_id, submission_time, done)
       values (1, 'late.py', '${userId(5)}', 1, '2025-12-15Z', true);
     insert into leaderboard.runs (submission_id, start_time, end_time, mode, secret, runner, score, passed, system_info)
       select max(id), now(), now(), 'test', false, 'A100', null, true, '{}' from leaderboard.submission`,
  );
  expect(await adopted.pass()).toMatchObject({ submissions: 1 });
  const rules = await database.sql`select distinct code_visibility from submission`;
  expect(rules).toEqual([{ code_visibility: "never" }]);
});
