import { expect, test } from "vitest";
import { openReceiver } from "@kernelbot/testing/receiver.ts";
import { ann, database, useScene } from "@kernelbot/testing/scene.ts";
import { listDeliveries } from "./log.ts";
import { startWebhooks } from "./service.ts";
import { delivered, hooked, PRIVATE, testClock } from "@kernelbot/testing/webhooks.ts";
import { testWebhook } from "./webhooks.ts";

useScene();

test("a stopping server aborts a hanging try, and the delivery is sent later", async () => {
  await using receiver = await openReceiver();
  const { webhook } = await hooked(database, ann, receiver);
  const came = Promise.withResolvers<undefined>();
  receiver.answer(() => came.resolve(undefined));
  await testWebhook(database, ann, webhook.id);
  const stop = startWebhooks(database, PRIVATE);
  await came.promise;
  await stop();
  const log = () => listDeliveries(database, ann, webhook.id, { limit: 1 });
  expect(await log()).toMatchObject([{ state: "pending", tries: 1, lastTry: null }]);
  receiver.answer((response) => response.writeHead(204).end());
  const clock = testClock();
  clock.pass(60_000);
  await delivered(database, { clock });
  expect(await log()).toMatchObject([{ state: "delivered", tries: 2 }]);
});
