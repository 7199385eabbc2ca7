/** Three webhooks: two that succeed, and one whose receiver fails. */
import type { WebhookEvent } from "@kernelbot/core";
import { openDispatcher } from "@kernelbot/server/src/webhooks/dispatcher.ts";
import { emptyOutbox } from "@kernelbot/server/src/webhooks/outbox.ts";
import { createWebhook } from "@kernelbot/server/src/webhooks/webhooks.ts";
import { openReceiver } from "../receiver.ts";
import { RUNNING } from "./competitions.ts";
import { actor, play, type Stage } from "./perform.ts";
import { PARTICIPANTS, type Participant } from "./people.ts";
import { version } from "./sources.ts";

const RULES = { allowPrivate: true };

export async function webhooks(stage: Stage, now: Date): Promise<number> {
  const { database, cast } = stage;
  await using receiver = await openReceiver();
  receiver.answer((response, { path }) => {
    response
      .writeHead(path.startsWith("/broken") ? 503 : 204)
      .end(path.startsWith("/broken") ? "no room\n" : undefined);
  });
  const begin = (who: string, path: string, events: WebhookEvent[]) =>
    createWebhook(
      database,
      actor(stage, who),
      { url: new URL(path, receiver.url).href, events, boards: [], competition: null },
      RULES,
    );
  const hooks = [
    await begin("jvermeer", "/kernels", ["submission.finished", "board.rank_changed"]),
    await begin("jvermeer", "/broken", ["submission.finished"]),
    await createWebhook(
      database,
      cast.organiser,
      { url: new URL("/sprint", receiver.url).href, events: ["submission.finished"], boards: [], competition: RUNNING },
      RULES,
    ),
  ];
  await emptyOutbox(database, now);
  const who = PARTICIPANTS.find((one) => one.name === "jvermeer") as Participant;
  await play(
    stage,
    [3, 2, 1].map((hours) => ({
      who,
      at: new Date(now.getTime() - hours * 3_600_000),
      outcome: hours === 2 ? "crash" : "passed",
      efficiency: 0.7 - hours / 50,
      request: { board: "prefixsum", targets: ["H100"], mode: "ranked", ...version("prefixsum", "H100", 4 - hours, 2) },
    })),
  );
  await emptyOutbox(database, new Date());
  const dispatcher = openDispatcher(database, { ...RULES, clock: () => new Date(), timeoutMs: 10_000 });
  await dispatcher.start();
  await dispatcher.idle();
  for (const { id } of hooks.map(({ webhook }) => webhook)) {
    const { url } = await database.db
      .selectFrom("webhook")
      .select("url")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const shown = url.replace(/^http:[/][/][^/]+/, "https://hooks.example.org");
    await database.db.updateTable("webhook").set({ url: shown }).where("id", "=", id).execute();
  }
  return hooks[0]?.webhook.id ?? 0;
}
