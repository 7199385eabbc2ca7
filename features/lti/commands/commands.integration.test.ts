/** Learning platforms with the CLI against a real server. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

let testServer: TestServer;
let place: ReturnType<typeof workshop>;
let tokens: Record<"olga" | "root", string>;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  tokens = {
    olga: await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
    root: await testServer.token("root", ["read", "admin"]),
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

test("a learning platform, and a link by which it opens a course", async () => {
  const moodle = "https://moodle.example.edu";
  const registration = ["--name", "Moodle", "--issuer", moodle, "--client-id", "abc", "--deployment", "3"];
  const urls = ["--auth-url", `${moodle}/auth`, "--token-url", `${moodle}/token`, "--keys-url", `${moodle}/certs`];
  expect(await call("olga", "admin", "lti", "set", ...registration, ...urls)).toMatch(
    /requires the role administrator/,
  );
  expect(await call("root", "admin", "lti", "set", ...registration)).toMatch(/--auth-url is required/);
  expect(await call("root", "admin", "lti", "set", ...registration, ...urls)).toBe("Moodle is platform 1.\n");
  expect(await call("root", "admin", "lti", "register", "Canvas", "https://canvas.example.edu/login")).toMatch(
    new RegExp(
      `^${testServer.url}/lti/register\\?token=[\\w-]{43}\nRegisters the platform at canvas.example.edu, once`,
    ),
  );
  expect(await call("root", "admin", "lti", "list")).toMatch(
    new RegExp(`1 +Moodle +${moodle} +abc +3[^]*Initiate login URL: +${testServer.url}/lti/login`),
  );

  const competition = place.file(
    "lti.yml",
    "{ name: lab, title: Lab, starts_at: 2020-01-01T00:00:00Z, ends_at: 2100-01-01T00:00:00Z, problems: [double] }",
  );
  await call("olga", "admin", "competition", "create", competition);
  const assignment = "{ problem: double, target: cpu, due_at: 2099-12-01T00:00:00Z, correct_points: 80 }";
  const course = place.file("lti-course.yml", `{ competition: lab, assignments: [${assignment}] }`);
  await call("olga", "admin", "course", "set", course);
  expect(await call("olga", "admin", "course", "lti", "lab")).toMatch(/no links to learning platforms/);
  const create = ["admin", "course", "lti", "lab", "--create", "--assignment"];
  expect(await call("olga", ...create, "triple")).toMatch(/"triple" is not an assignment of lab/);
  expect(await call("olga", ...create, "double")).toMatch(
    /opens the assignment double from one activity[^]*Custom parameters: kernelbot=[\w-]{43}\n/,
  );
  expect(await call("olga", "admin", "course", "lti", "lab")).toMatch(/1 +double +not opened yet +not sent/);
  expect(await call("olga", "admin", "course", "send-grades", "lab")).toBe(
    "0 grades accepted by the platform, 0 queued, 0 failed.\n",
  );
  expect(await call("olga", "admin", "course", "roster", "lab", "--from-platform")).toMatch(
    /no learning platform lists the members of its course for lab/,
  );
  expect(await call("olga", "admin", "course", "roster", "lab")).toMatch(/use a FILE or --from-platform/);
  expect(await call("olga", "admin", "course", "lti", "lab", "--revoke", "1")).toMatch(/double .* revoked/);
  expect(await call("root", "admin", "lti", "remove", "1")).toMatch(/Platform 1 is removed/);
});
