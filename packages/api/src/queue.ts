import { Queue, ServiceStatus, WaitingRunList } from "@kernelbot/core";
import { z } from "zod";
import { ADMINISTRATOR, get } from "./contract.ts";
import { limit } from "./parameters.ts";

export const queue = {
  get: get("/queue", {
    summary: "Get each target's queue: queued and running runs, online runners, and the last 24 hours",
    scope: null,
    answers: { 200: { description: "Queues of the targets of the boards that the caller can list", schema: Queue } },
  }),

  status: get("/status", {
    summary: "Get the status of the service: whether it accepts and judges submissions, and incidents of the last day",
    scope: null,
    answers: {
      200: { description: "Status, with the targets of the boards that the caller can list", schema: ServiceStatus },
    },
  }),

  runs: get("/queue/runs", {
    summary: "List queued runs by target, in claim order",
    ...ADMINISTRATOR,
    query: z.object({ limit: limit(100, 1000) }),
    answers: { 200: { description: "Queued runs with their accounts and problems", schema: WaitingRunList } },
  }),
};
