/** Competitions, invites and declarations with the CLI against a real server. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { authenticate } from "../../../server/src/auth/tokens.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

let testServer: TestServer;
let place: ReturnType<typeof workshop>;
let tokens: Record<"ann" | "bob" | "olga", string>;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  tokens = {
    ann: await testServer.token("ann"),
    bob: await testServer.token("bob"),
    olga: await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
  };
});
afterAll(() => testServer[Symbol.asyncDispose]());
beforeEach(() => {
  place = workshop();
  return () => place[Symbol.dispose]();
});

/** Runs a command as an account. Returns its exit code and output. */
async function call(who: keyof typeof tokens, ...args: string[]): Promise<{ code: number | null; printed: string }> {
  const { code, out, err } = await place.kernelbot(args, {
    server: testServer.url,
    env: { KERNELBOT_TOKEN: tokens[who] },
  });
  return { code, printed: out + err };
}

function competitionFile(change = ""): string {
  return place.file(
    "spring.yml",
    `name: spring
title: Spring kernels
visibility: closed
starts_at: 2020-01-01T00:00:00Z
ends_at: 2100-01-01T00:00:00Z
problems: [triple]
${change}`,
  );
}

test("an organiser creates a closed competition, invites, lists claimed codes, and revokes", async () => {
  expect(await call("olga", "admin", "competition", "create", competitionFile())).toMatchObject({ code: 0 });
  expect((await call("ann", "competitions")).printed).toBe("There are no competitions.\n");
  expect(await call("ann", "competition", "spring")).toEqual({
    code: 2,
    printed: 'kernelbot: competition "spring" not found\n',
  });

  const { printed } = await call("olga", "admin", "invites", "create", "--competitions", "spring", "--count", "2");
  const codes = printed.trim().split("\n");
  expect(codes).toHaveLength(2);
  expect((await call("ann", "join", codes[0] ?? "")).printed).toBe("You have joined spring.\n");
  expect((await call("bob", "join", codes[0] ?? "")).printed).toMatch(/was claimed by another account/);
  expect((await call("ann", "competitions")).printed).toMatch(/spring +Spring kernels +\d+ days left +closed/);
  expect((await call("ann", "competition", "spring")).printed).toMatch(
    /problems +triple\n +code +public after the end of the competition/,
  );
  const list = (await call("olga", "admin", "invites", "list", "spring")).printed;
  expect(list).toMatch(new RegExp(`${codes[0]} +ann `));
  expect(list).toMatch(new RegExp(`${codes[1]} *$`, "m"));
  expect((await call("olga", "admin", "invites", "revoke", codes[0] ?? "")).printed).toMatch(
    /The code and the access that it gave are revoked/,
  );
  expect((await call("ann", "competition", "spring")).code).toBe(2);
});

test.each(["-BCDEFGHIJKLMNOPQRST_u", "--CDEFGHIJKLMNOPQRST_u"])(
  "the code %s, which begins as an option does, is joined and revoked with and without --",
  async (code) => {
    await call("olga", "admin", "competition", "create", competitionFile());
    await testServer.database.sql`
      with made as (insert into invite (code, created_by) select ${code}, id from account where name = 'olga' returning code)
      insert into invite_competition (competition, code) select 'spring', code from made`;
    expect((await call("ann", "join", code)).printed).toBe("You have joined spring.\n");
    expect((await call("ann", "join", code, "--json")).code).toBe(0);
    expect((await call("ann", "join", "--", code)).printed).toBe("You have joined spring.\n");
    expect((await call("olga", "admin", "invites", "revoke", code)).printed).toContain(
      "access that it gave are revoked",
    );
  },
);

test("an organiser creates an invite link, lists who joined by it, and revokes it", async () => {
  const { printed } = await call("olga", "admin", "invite-links", "create", "spring", "--uses", "40");
  expect(printed).toMatch(/^http:\S+\/join\/[\w-]{43}\nLink 1 of spring admits 40 people until .*:\n$/);
  const url = printed.trim().split("\n")[0] ?? "";
  expect((await call("bob", "join", url)).printed).toBe("You have joined spring.\n");
  expect((await call("olga", "admin", "invite-links", "list", "spring")).printed).toMatch(
    /link 1 +1 of 40 joined +expires .*\n +bob +.*, with an existing account\n/,
  );
  expect((await call("olga", "admin", "invite-links", "revoke", "spring", "1")).printed).toMatch(/^Link 1 is revoked/);
  expect((await call("ann", "join", url)).printed).toMatch(/this invite link was revoked; ask the organiser/);
});

test.each([
  [["admin", "invite-links", "create", "spring"], "--uses N is required: the number of people who can join"],
  [["admin", "invites", "create"], "--competitions NAME,... is required"],
  [["admin", "invites", "create", "-c", "x", "-n", "many"], '--count must be an integer from 1 to 99999, not "many"'],
  [["admin", "invites", "burn"], 'unknown command "admin invites burn"; see kernelbot admin invites --help'],
  [["admin", "competition", "create", "none.yml"], 'cannot read "none.yml": ENOENT'],
  [["licence", "7", "GPL"], '"GPL" is not a supported licence; use MIT, Apache-2.0'],
])("%s: one sentence, exit code 2", async (args, sentence) => {
  const { code, printed } = await call("olga", ...args);
  expect(printed).toContain(`kernelbot: ${sentence}`);
  expect(code).toBe(2);
});

test("a file with an invalid date is rejected before any request", async () => {
  const file = competitionFile("ends_at: soon\n");
  const { printed, code } = await call("olga", "admin", "competition", "create", file);
  expect(printed).toMatch(/^kernelbot: invalid competition: /);
  expect(code).toBe(2);
});

test("the help of a group lists its commands, and each has its own help", async () => {
  expect((await call("olga", "admin", "--help")).printed).toMatch(
    /^ {2}invites +Create, list and revoke invite codes$/m,
  );
  expect((await call("olga", "admin", "invites", "--help")).printed).toMatch(
    /^ {2}create +Create invite codes, each for one account$/m,
  );
  expect((await call("olga", "admin", "invites", "create", "--help")).printed).toMatch(/--count N/);
});

test("accounts create and join a team, share its row on the leaderboard, and an organiser removes one", async () => {
  const file = competitionFile("team_size: 2\n");
  // Rejected if another test has created it.
  await call("olga", "admin", "competition", "create", file);
  await call("olga", "admin", "competition", "change", file);
  const { printed } = await call("olga", "admin", "invites", "create", "-c", "spring", "-n", "2");
  const [first = "", second = ""] = printed.trim().split("\n");
  await call("ann", "join", first);
  await call("bob", "join", second);
  const spring = ["-c", "spring"];
  const made = (await call("ann", "team", "make", "Fast ones", ...spring)).printed;
  const [code = ""] = /[0-9a-f]{32}/.exec(made) ?? [];
  expect(made).toBe(`You are in team Fast ones: ann.\nJoin code: ${code}\n`);
  expect((await call("bob", "team", "join", code, ...spring)).printed).toMatch(
    /^You are in team Fast ones: ann, bob\.$/m,
  );
  expect((await call("ann", "team", "rename", "Faster", ...spring)).printed).toMatch(/^You are in team Faster:/);
  expect((await call("olga", "team", "show", ...spring)).printed).toMatch(/^Faster +ann, bob *$/m);
  expect((await call("olga", "competition", "spring")).printed).toMatch(/teams +up to 2 members/);

  const bob = await authenticate(testServer.database, tokens.bob);
  await ranked(testServer.database, bob, await runner(testServer.database), 100, { board: "triple" });
  expect((await call("ann", "board", "triple")).printed).toMatch(/1 +Faster: ann, bob +\S+ +100/);
  const popcorn = await testServer.ask("/submissions/triple/cpu", undefined, {
    headers: { "x-popcorn-cli-id": tokens.ann },
  });
  expect(await popcorn.json()).toMatchObject([{ user_name: "Faster" }]);
  expect((await call("bob", "team", "leave", ...spring)).printed).toMatch(
    /you have made a ranked submission in this team/,
  );
  expect(await call("olga", "team", "remove", "bob", ...spring)).toEqual({
    code: 0,
    printed: "bob is removed from their team in spring.\n",
  });
  expect((await call("ann", "team", "leave", ...spring)).printed).toBe("You have left your team in spring.\n");
  expect(await call("ann", "team", "show")).toEqual({
    code: 2,
    printed: "kernelbot: --competition NAME is required\n",
  });
});

const SOURCE = "#!KERNELBOT author human\npass\n";

/** Submits without waiting. Returns what the server stored. */
async function declared(env: Record<string, string>, ...args: string[]) {
  const file = place.file("kernel.py", SOURCE);
  const submit = ["submit", file, "-b", "double", "-t", "cpu", "--no-wait", "--json", ...args];
  const token = { KERNELBOT_TOKEN: tokens.ann };
  const { out } = await place.kernelbot(submit, { server: testServer.url, env: { ...token, ...env } });
  const { author, licence } = (JSON.parse(out) as { submission: { author: object; licence: string | null } })
    .submission;
  return { author, licence };
}

test("the author is declared by option, else by the environment, else by the file", async () => {
  const agent = { KERNELBOT_AUTHOR: "autonomous", KERNELBOT_MODEL: "M" };
  expect(await declared({})).toEqual({ author: { kind: "human", model: null }, licence: null });
  expect(await declared(agent)).toEqual({ author: { kind: "autonomous", model: "M" }, licence: null });
  expect(await declared(agent, "--author", "assisted", "--licence", "mit")).toEqual({
    author: { kind: "assisted", model: null },
    licence: "MIT",
  });
});

test("a licence is set for new submissions and for one submission", async () => {
  expect((await call("ann", "licence", "default", "CC0-1.0")).printed).toBe(
    "Your new submissions may be published under CC0-1.0.\n",
  );
  expect((await declared({})).licence).toBe("CC0-1.0");
  const [{ id } = { id: 0 }] = await testServer.client(tokens.ann).submissions({ limit: 1 });
  expect((await call("ann", "licence", String(id), "none")).printed).toBe(`Submission ${id} may not be published.\n`);
  expect(await call("bob", "licence", String(id), "MIT")).toMatchObject({ code: 2 });
  await call("ann", "licence", "default", "none");
});

test("the source of another account is printed once the rules make it public", async () => {
  const ann = await authenticate(testServer.database, tokens.ann);
  await testServer.database.sql`update run set state = 'cancelled', finished_at = now() where state = 'queued'`;
  const id = String(await ranked(testServer.database, ann, await runner(testServer.database), 100));
  expect((await call("bob", "source", id)).printed).toContain(
    `the source of submission ${id} is visible only to its author`,
  );
  await call("ann", "licence", id, "MIT");
  expect(await call("bob", "source", id)).toEqual({ code: 0, printed: "pass\n" });
});

test("a competition is shown with its leaderboards, freeze, participants and limits", async () => {
  const file = place.file(
    "summer.yml",
    `name: summer
title: Summer kernels
starts_at: 2020-01-01T00:00:00Z
freeze_at: 2020-02-01T00:00:00Z
ends_at: 2100-01-01T00:00:00Z
participants: members
targets: [cpu, H100]
limits: { ranked_per_hour: 10, test_per_hour: 60 }
problems: [{ name: double, targets: [cpu], ends_at: 2099-01-01T00:00:00Z }]
`,
  );
  expect(await call("olga", "admin", "competition", "create", file)).toMatchObject({ code: 0 });
  expect((await call("ann", "competitions")).printed).toMatch(
    /summer +Summer kernels +\d+ days left, boards frozen +public/,
  );
  expect((await call("ann", "competition", "summer")).printed).toContain(`
  frozen    now: submissions after 2020-02-01 00:00 are hidden until 2100-01-01 00:00
  problems  double on cpu and H100
            double on cpu until 2099-01-01 00:00
  code      public after the end of the competition
  entry     members only, by invite or group
  limits    60 test submissions within an hour and 10 ranked submissions within an hour for each account
`);
  expect((await call("ann", "board", "double", "-t", "cpu")).printed).toContain("Frozen since 2020-02-01 00:00");
  expect((await call("olga", "board", "double", "-t", "cpu", "--unfrozen")).printed).toContain("Not frozen for you");
  expect((await call("ann", "board", "double", "-t", "cpu", "--unfrozen")).printed).toMatch(
    /visible only to moderators and the org/,
  );
});
