/** Requests of the commands for moderation, against a fake server. */
import { expect, test } from "vitest";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { AT, run, submission, worldOf } from "@kernelbot/testing/cli/samples.ts";

/** Runs one command against a server that returns `answer` for the route. */
async function call(args: readonly string[], route: string, answer: unknown) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers: { [route]: answer } });
  const ended = await place.kernelbot(args, { server: server.url });
  return { ...ended, requests: server.requests.map(({ method, path, body }) => [`${method} ${path}`, body]) };
}

const REMOVED = submission([run()], { removed: { at: AT, by: "moderator", reason: "a copy" } });
const BAN = { account: { id: "a1", name: "ada" }, bannedAt: AT, reason: "spam" };

const DECISION = {
  id: 5,
  at: AT,
  act: "reject",
  account: { id: "a1", name: "ada" },
  submissionId: 12,
  runId: 7,
  reason: "a copy of 3",
  appeal: { at: AT, text: "3 is\nmine" },
  answer: null,
} as const;
const ITEM = {
  runId: 7,
  submissionId: 12,
  account: { id: "a1", name: "ada" },
  board: "vectoradd",
  target: "cpu",
  fileName: "kernel.py",
  verdict: "passed",
  finishedAt: AT,
  flags: [
    { check: "speed_of_light", at: AT, message: "case 1 took 1 ns", by: null, evidenceRunId: null },
    { check: "report", at: AT, message: "a copy of \x1b[31mmine", by: { id: "b1", name: "bob" }, evidenceRunId: null },
  ],
  review: [],
} as const;

test("admin quarantine lists runs and appeals without control characters", async () => {
  const queue = { items: [ITEM], appeals: [{ ...DECISION, decidedBy: { id: "m1", name: "mia" } }] };
  const { out } = await call(["admin", "quarantine"], "GET /moderation/queue", queue);
  expect(out).toBe(`run 7 of submission 12, vectoradd on cpu, still on its leaderboard
  kernel.py by ada, 2026-03-01 12:00
  ! the speed-of-light bound: case 1 took 1 ns
  ! a report (bob): a copy of mine

decision 5: reject, run 7 of submission 12 of ada, 2026-03-01 12:00
  a copy of 3
  appeal, 2026-03-01 12:00: 3 is mine
  decided by mia; another moderator should answer
`);
});

test("admin inspect shows the evidence, and the difference to the nearest source", async () => {
  const line = (kind: string, text: string, a: number | null, b: number | null) => ({ kind, text, a, b });
  const diff = [{ lines: [line("removed", "x = 1", 1, null), line("added", "\x1b[2Jy = 1", null, 1)] }];
  const similar = [{ submissionId: 3, account: BAN.account, fileName: "k.py", earlier: true, similarity: 0.976, diff }];
  const inspection = { run: run(), account: ITEM.account, flags: ITEM.flags, similar };
  const { out } = await call(["admin", "inspect", "7"], "GET /moderation/runs/7", inspection);
  expect(out).toContain("! the speed-of-light bound: case 1 took 1 ns");
  expect(out).toContain(`Most similar sources
  98 %  submission 3, k.py by ada, submitted earlier
    @@ -1,1 +1,1 @@
    -x = 1
    +y = 1
`);
});

test("decisions lists the decisions about the caller", async () => {
  const { out } = await call(["decisions"], "GET /decisions", { decisions: [DECISION] });
  expect(out).toContain("decision 5: reject, run 7 of submission 12 of ada, 2026-03-01 12:00\n  a copy of 3\n");
});

test.each([
  [["admin", "flag", "7", "-r", "odd"], "POST /runs/7/flag", { reason: "odd" }, ITEM, "Run 7 is quarantined.\n"],
  [["admin", "accept", "7", "-r", "true"], "POST /runs/7/accept", { reason: "true" }, DECISION, "Accepted run 7.\n"],
  [["admin", "reject", "7", "-r", "a lie"], "POST /runs/7/reject", { reason: "a lie" }, DECISION, "Rejected run 7.\n"],
  [
    ["admin", "answer", "5", "--grant", "-r", "so it is"],
    "POST /decisions/5/answer",
    { grant: true, reason: "so it is" },
    DECISION,
    "Appeal answered: the decision is reversed.\n",
  ],
  [
    ["admin", "rerun", "-b", "vectoradd", "-t", "cpu", "--top", "3"],
    "POST /boards/vectoradd/cpu/rerun",
    { top: 3 },
    { runs: [8, 9] },
    "2 re-runs queued: 8, 9.\n",
  ],
  [
    ["admin", "rerun", "--submission", "12"],
    "POST /submissions/12/rerun",
    undefined,
    { runs: [8] },
    "1 re-run queued: 8.\n",
  ],
  [
    ["appeal", "5", "--text", "mine"],
    "POST /decisions/5/appeal",
    { text: "mine" },
    DECISION,
    "Your appeal is filed; kernelbot decisions shows the moderators' answer.\n",
  ],
  [["report", "7", "-r", "a copy"], "POST /runs/7/report", { reason: "a copy" }, {}, "Your report is filed.\n"],
  [["delete", "12", "--yes"], "DELETE /submissions/12", undefined, REMOVED, "Submission 12 is deleted.\n"],
  [
    ["admin", "remove", "12", "-r", "a copy"],
    "POST /submissions/12/remove",
    { reason: "a copy" },
    REMOVED,
    "Submission 12 is removed.\n",
  ],
  [
    ["admin", "restore", "12", "-r", "no copy"],
    "POST /submissions/12/restore",
    { reason: "no copy" },
    REMOVED,
    "Submission 12 is restored.\n",
  ],
  [
    ["admin", "ban", "ada", "-r", "spam"],
    "POST /moderation/ban",
    { account: "ada", reason: "spam" },
    BAN,
    "ada is banned.\n",
  ],
  [
    ["admin", "unban", "ada", "-r", "paid"],
    "POST /moderation/unban",
    { account: "ada", reason: "paid" },
    BAN,
    "ada is no longer banned.\n",
  ],
])("%j sends the request and prints its result", async (args, route, body, answer, printed) => {
  const { code, out, err, requests } = await call(args, route, answer);
  expect({ code, out, err, requests }).toEqual({ code: 0, out: printed, err: "", requests: [[route, body]] });
});

test("admin late-entry enters a file for an account, and requires a reason", async () => {
  const entered = submission([run()], { enteredBy: { id: "o1", name: "olga" } });
  using files = workshop();
  const file = files.file("late.py", "pass\n");
  const args = ["admin", "late-entry", file, "--account", "ada", "--board", "vectoradd", "--target", "cpu"];
  const { out, requests } = await call([...args, "--reason", "ill"], "POST /late-entries", entered);
  expect(out).toContain("Submission 12 is entered for ada and queued.");
  const body = {
    account: "ada",
    reason: "ill",
    board: "vectoradd",
    targets: ["cpu"],
    fileName: "late.py",
    source: "pass\n",
  };
  expect(requests).toContainEqual(["POST /late-entries", JSON.parse(JSON.stringify(body))]);
  expect((await call(args, "POST /late-entries", entered)).err).toContain("--reason TEXT is required");
});

test("show prints the reason why a submission was removed", async () => {
  const { out } = await call(["show", "12"], "GET /submissions/12", REMOVED);
  expect(out).toContain("removed by a moderator: a copy");
});

test.each([
  [["delete", "12"], /only a moderator can restore a deleted submission; .*use --yes/],
  [["admin", "remove", "12"], /--reason TEXT is required/],
  [["admin", "rerun", "-b", "vectoradd"], /--board requires --target NAME/],
  [["admin", "destroy"], /unknown command "admin destroy"; see kernelbot admin --help/],
])("%j is rejected before any request", async (args, message) => {
  const { code, err, requests } = await call(args, "", null);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(err).toMatch(message);
});

test("admin --help lists its commands, and each has its own help", async () => {
  using place = workshop();
  const whole = await place.kernelbot(["admin", "--help"]);
  expect(whole.out).toContain("Usage: kernelbot admin COMMAND");
  const one = await place.kernelbot(["admin", "ban", "--help"]);
  expect(one.out).toContain("Usage: kernelbot admin ban ACCOUNT [options]");
});
