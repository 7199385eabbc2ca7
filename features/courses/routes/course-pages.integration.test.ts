/** A course in the browser: its organiser and a student. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeBrowser, HERE } from "@kernelbot/testing/fake-browser.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";

const COURSE = `competition: spring
enrolment: entered_email
assignments: [{ problem: triple, target: cpu, due_at: ${inHours(1)}, correct_points: 40 }]
`;
const ADMIN = "/admin/competitions/spring/course";

let testServer: TestServer;
let olga: string;
beforeAll(async () => {
  testServer = await openTestServer();
  olga = await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const competition = {
    ...{ name: "spring", title: "Spring kernels", visibility: "closed", problems: ["triple"] },
    ...{ startsAt: inHours(-1), endsAt: inHours(48), participants: "members" },
  };
  expect((await send("/competitions", competition)).status).toBe(201);
});
afterAll(() => testServer[Symbol.asyncDispose]());

function send(path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return testServer.ask(`/api/v1${path}`, olga, { method: "POST", headers, body: JSON.stringify(body) });
}

test("an organiser sets up a course, and a student joins it, enrols, and sees only their own row", async () => {
  const organiser = fakeBrowser(testServer);
  const { account } = await authenticate(testServer.database, olga);
  const browser = { address: "192.0.2.1", userAgent: "Browser/1" };
  const begun = await testServer.database.db.transaction().execute((open) => beginSession(open, account.id, browser));
  organiser.cookies.set("kernelbot_session", begun);

  expect(await (await organiser.get(ADMIN)).text()).toContain("This competition is not a course yet");
  const other = await organiser.post(ADMIN, { settings: COURSE.replace("spring", "winter") });
  expect([other.status, await other.text()]).toEqual([
    422,
    expect.stringMatching(/must be &quot;spring&quot;[^]*winter/),
  ]);
  expect((await organiser.post(ADMIN, { settings: COURSE })).headers.get("location")).toBe(`${ADMIN}?done=saved`);
  const broken = await organiser.post(`${ADMIN}/roster`, { csv: "Ada,ada@example.org" });
  expect([broken.status, await broken.text()]).toEqual([422, expect.stringContaining("the first line must name")]);
  await organiser.post(`${ADMIN}/roster`, { csv: "name,email\nAda Lovelace,ada@example.org\nBob,bob@example.org\n" });

  const made = await send("/competitions/spring/invite-links", { maxUses: 5, days: 1 });
  const join = ((await made.json()) as { url: string }).url.slice(HERE.length);
  const student = fakeBrowser(testServer);
  const joined = await student.post(join, { name: "countess" });
  expect(joined.headers.get("location")).toBe("/competitions/spring/course");
  expect(await (await student.get("/competitions/spring/course")).text()).toContain("You are not enrolled");
  const wrong = await student.post("/competitions/spring/course", { email: "eve@example.org" });
  expect([wrong.status, await wrong.text()]).toEqual([
    404,
    expect.stringMatching(/is not on the roster[^]*value="eve@/),
  ]);
  const enrolled = await student.post("/competitions/spring/course", { email: "Ada@Example.org" });
  expect(enrolled.headers.get("location")).toBe("/competitions/spring/course?done=enrolled");
  const own = await (await student.get("/competitions/spring/course?done=enrolled")).text();
  expect(own).toContain("Ada Lovelace");
  expect(own).not.toContain("bob@example.org");
  for (const path of [ADMIN, `${ADMIN}/grades.csv`, `${ADMIN}/similar/triple`]) {
    expect((await student.get(path)).status).toBe(403);
  }

  const until = inHours(24).slice(0, 16);
  const extension = { email: "ada@example.org", problem: "triple", until };
  expect((await organiser.post(`${ADMIN}/extensions`, extension)).headers.get("location")).toBe(
    `${ADMIN}?done=extended`,
  );
  expect(await (await student.get("/competitions/spring/course")).text()).toContain("(extended for you)");
  const csv = await organiser.get(`${ADMIN}/grades.csv`);
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="spring-grades.csv"');
  expect(await csv.text()).toMatch(/\r\nAda Lovelace,ada@example.org,,countess,0,,,0,40\r\nBob,bob@example.org,,,0,/);
  await organiser.post(`${ADMIN}/release`, { email: "ada@example.org" });
  await organiser.post(`${ADMIN}/remove`, { email: "bob@example.org" });
  const left = await (await organiser.get(`${ADMIN}?state=not+enrolled`)).text();
  expect(left).toContain("ada@example.org");
  expect(left).not.toContain("bob@example.org");
});
