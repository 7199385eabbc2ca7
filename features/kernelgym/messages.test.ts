import { expect, test } from "vitest";
import { TaskRequest, waitMsOf } from "./messages.ts";

test.each([10, 300])("a task with a timeout of %i s is answered before the client stops reading", (timeout) => {
  const task = { task_id: "1", reference_code: "class Model: ...", kernel_code: "class ModelNew: ...", timeout };
  const waitMs = waitMsOf(TaskRequest.parse(task));
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual((timeout - 1) * 1000);
});
