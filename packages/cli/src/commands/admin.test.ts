/** What moderators and owners say to a server at the wire. */
import { expect, test } from "vitest";
import { startFakeServer } from "../testing/fake-server.ts";
import { workshop } from "../testing/kernelbot.ts";
import { AT, run, submission, worldOf } from "../testing/samples.ts";

/** Runs one command against a server that gives this one answer. */
async function call(args: readonly string[], route: string, answer: unknown) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers: { [route]: answer } });
  const ended = await place.kernelbot(args, { server: server.url });
  return { ...ended, asked: server.asked.map(({ method, path, body }) => [`${method} ${path}`, body]) };
}

const REMOVED = submission([run()], { removed: { at: AT, by: "moderator", reason: "a copy" } });
const BAN = { account: { id: "a1", name: "ada" }, bannedAt: AT, reason: "spam" };

test.each([
  [["delete", "12", "--yes"], "DELETE /submissions/12", undefined, REMOVED, "Submission 12 is on no board any more.\n"],
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
    "Submission 12 is back.\n",
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
    "ada is not banned any more.\n",
  ],
])("%j asks for it and says so", async (args, route, body, answer, said) => {
  const { code, out, err, asked } = await call(args, route, answer);
  expect({ code, out, err, asked }).toEqual({ code: 0, out: said, err: "", asked: [[route, body]] });
});

test("show says that a submission is removed, and why", async () => {
  const { out } = await call(["show", "12"], "GET /submissions/12", REMOVED);
  expect(out).toContain("removed by a moderator: a copy");
});

test.each([
  [["delete", "12"], /only a moderator can put back what was deleted: say --yes/],
  [["admin", "remove", "12"], /say why with --reason/],
  [["admin", "destroy"], /there is no command "admin destroy"; see kernelbot admin --help/],
])("%j is refused before anything is asked", async (args, message) => {
  const { code, err, asked } = await call(args, "", null);
  expect({ code, asked }).toEqual({ code: 2, asked: [] });
  expect(err).toMatch(message);
});

test("admin --help lists its commands, and each has a help of its own", async () => {
  using place = workshop();
  const whole = await place.kernelbot(["admin", "--help"]);
  expect(whole.out).toContain("Usage: kernelbot admin COMMAND");
  const one = await place.kernelbot(["admin", "ban", "--help"]);
  expect(one.out).toContain("Usage: kernelbot admin ban ACCOUNT [options]");
});
