/** What moderators see in a browser, and the buttons by which they decide. */
import { KernelBotError, Reason } from "@kernelbot/core";
import { inspectionPage, moderationPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { requireRole, type Identity } from "../db/identity.ts";
import { accept, reject } from "../moderation/decide.ts";
import { flag } from "../moderation/flag.ts";
import { inspectRun } from "../moderation/inspect.ts";
import { moderationQueue } from "../moderation/quarantine.ts";
import { readRun } from "../runs/views.ts";
import { signed } from "./account-pages.ts";
import { identify } from "./auth.ts";
import { Id } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { readFields, validated } from "./input.ts";
import { visitOf } from "./visit.ts";

const DecisionForm = z.object({ act: z.enum(["accept", "reject", "flag"]), reason: z.string() });

export function mountModerationPages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database } = faces;

  async function moderator(c: Context<HttpEnv>): Promise<Identity> {
    const identity = await identify(c, faces);
    requireRole(identity, "moderator");
    c.header("cache-control", "private, no-store");
    return identity;
  }

  app.get("/moderation", async (c) => {
    const identity = await moderator(c);
    return c.html(await moderationPage(await moderationQueue(database), visitOf(c, faces, identity)));
  });

  app.get("/moderation/runs/:id{[0-9]+}", async (c) => {
    const identity = await moderator(c);
    const inspection = await inspectRun(database, validated(Id, c.req.param()).id);
    return c.html(await inspectionPage({ inspection, visit: visitOf(c, faces, identity) }));
  });

  app.post(
    "/moderation/runs/:id{[0-9]+}/decide",
    signed(faces, async (c, identity) => {
      requireRole(identity, "moderator");
      const { id } = validated(Id, c.req.param());
      const { act, reason } = await readFields(c, DecisionForm);
      try {
        // A form ends its lines with CRLF.
        await decide(identity, id, act, validated(Reason, reason.replaceAll("\r\n", "\n")));
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.code === "not_found" || problem.status >= 500)
          throw problem;
        const inspection = await inspectRun(database, id);
        const shown = { inspection, visit: visitOf(c, faces, identity), problem: problem.message, reason };
        return c.html(await inspectionPage(shown), problem.status);
      }
      const run = await readRun(database, id);
      return c.redirect(`/submissions/${run?.submissionId}#run-${id}`, 303);
    }),
  );

  type Act = z.infer<typeof DecisionForm>["act"];

  async function decide(identity: Identity, runId: number, act: Act, reason: string): Promise<void> {
    if (act === "accept") await accept(database, identity, runId, { reason }, faces.signer);
    else if (act === "reject") await reject(database, identity, runId, { reason });
    else await flag(database, identity, runId, reason);
  }
}
