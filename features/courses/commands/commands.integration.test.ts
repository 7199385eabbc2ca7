/** A course with the CLI against a real server. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

let testServer: TestServer;
let place: ReturnType<typeof workshop>;
let tokens: Record<"ann" | "olga", string>;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  tokens = {
    ann: await testServer.token("ann"),
    olga: await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
  };
});
afterAll(() => testServer[Symbol.asyncDispose]());
beforeEach(() => {
  place = workshop();
  return () => place[Symbol.dispose]();
});

/** Runs a command as an account. Returns what it printed. */
async function call(who: keyof typeof tokens, ...args: string[]): Promise<string> {
  const { out, err } = await place.kernelbot(args, { server: testServer.url, env: { KERNELBOT_TOKEN: tokens[who] } });
  return out + err;
}

test("a course from its file to the grades", async () => {
  const competition = place.file(
    "gpu.yml",
    "{ name: gpu, title: GPU course, starts_at: 2020-01-01T00:00:00Z, ends_at: 2100-01-01T00:00:00Z, problems: [triple] }",
  );
  await call("olga", "admin", "competition", "create", competition);
  expect(await call("ann", "course", "gpu")).toMatch(/"gpu" is not a course/);
  const course = place.file(
    "course.yml",
    `competition: gpu
enrolment: entered_email
assignments:
  - { problem: triple, target: cpu, due_at: 2099-12-01T00:00:00Z, late_days: 3, thresholds: [{ speedup: 5, points: 80 }] }
`,
  );
  expect(await call("olga", "admin", "course", "set", course)).toMatch(
    /gpu is a course with 1 assignment:\n {2}triple on cpu/,
  );
  const file = place.file("roster.csv", "name,email,group\nAnn Archer,ann@example.org,A\nBob,bob@example.org,B\n");
  expect(await call("olga", "admin", "course", "roster", "gpu", file)).toBe(
    "2 students added, 0 updated, 0 unchanged.\n",
  );
  expect(await call("ann", "admin", "course", "students", "gpu")).toMatch(/lacks the scope admin/);

  expect(await call("ann", "course", "gpu")).toMatch(/You are not enrolled: run kernelbot course gpu --enrol,/);
  expect(await call("ann", "course", "gpu", "--enrol-as", "ann@example.org")).toMatch(
    /Ann Archer \(ann@example.org\): 0 points/,
  );
  const extend = ["admin", "course", "extend", "gpu", "ann@example.org", "triple"];
  expect(await call("olga", ...extend, "--until", "2099-12-05T00:00:00Z")).toMatch(
    /triple is due 2099-12-05 .* for ann/,
  );
  expect(await call("olga", ...extend)).toMatch(/use --until TIME or --remove/);

  const { database } = testServer;
  const ann = await authenticate(database, tokens.ann);
  const id = await ranked(database, ann, await runner(database), 100, { board: "triple" });
  expect(await call("ann", "course", "gpu")).toMatch(
    /triple +cpu +2099-12-05 .*\(extended\) +100\.0 ns +10\.00× +0 +80 of 80/,
  );
  expect(await call("olga", "admin", "course", "students", "gpu")).toMatch(
    /Ann Archer.* 80 +80\n.*Bob .*not enrolled +0\n/,
  );
  expect(await call("olga", "admin", "course", "students", "gpu", "--missing")).not.toMatch(/Ann/);
  expect(await call("olga", "admin", "course", "grades", "gpu")).toBe(
    "name,email,group,account,triple points,triple late days,triple submission,total points,maximum points\r\n" +
      `Ann Archer,ann@example.org,A,ann,80,0,${id},80,80\r\nBob,bob@example.org,B,,0,,,0,80\r\n`,
  );
  expect(await call("olga", "admin", "course", "similar", "gpu", "triple")).toBe("There are no similar submissions.\n");
  expect(await call("olga", "admin", "course", "release", "gpu", "ann@example.org")).toMatch(
    /another account can enrol/,
  );
  expect(await call("olga", "admin", "course", "remove", "gpu", "ann@example.org")).toMatch(/removed from the roster/);
});
