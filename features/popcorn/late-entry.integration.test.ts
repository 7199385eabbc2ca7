import { expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { readSubmission } from "@kernelbot/server/src/submissions/views.ts";

/** Sends `POST /admin/submission/triple/cpu/MODE`; returns the status, and the submission's id or the error. */
async function sent(server: TestServer, bearer: string, clientId: string | null, mode: string) {
  const form = new FormData();
  form.append("file", new File(["pass\n"], "sub.py"));
  const headers = clientId === null ? {} : { "x-popcorn-cli-id": clientId };
  const response = await server.ask(`/admin/submission/triple/cpu/${mode}`, bearer, {
    method: "POST",
    body: form,
    headers,
  });
  const body = (await response.json()) as { details?: { id: number }; detail?: string };
  return { status: response.status, id: body.details?.id ?? 0, detail: body.detail };
}

test("an organiser submits for the account of the cli_id; after the deadline as a late entry", async () => {
  await using server = await openTestServer();
  const { database } = server;
  const ann = await server.token("ann");
  const organiser = await server.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const olga = await authenticate(database, organiser);
  const dates = { startsAt: inHours(-2), endsAt: inHours(-1) };
  await createCompetition(
    database,
    olga,
    CompetitionSpec.parse({ name: "spring", title: "Spring", problems: ["triple"], ...dates }),
  );
  const late = await sent(server, organiser, ann, "leaderboard");
  expect(late.status).toBe(202);
  expect(await readSubmission(database, late.id)).toMatchObject({
    account: { name: "ann" },
    enteredBy: olga.account,
    mode: "ranked",
  });
  const tried = await sent(server, organiser, ann, "test");
  expect(await readSubmission(database, tried.id)).toMatchObject({ account: { name: "ann" }, enteredBy: null });
  expect(await sent(server, organiser, null, "leaderboard")).toMatchObject({
    status: 400,
    detail: expect.stringContaining("X-Popcorn-Cli-Id") as string,
  });
  expect((await sent(server, ann, ann, "leaderboard")).status).toBe(403);
});
