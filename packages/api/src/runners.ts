import {
  JoinTokenList,
  Launch,
  LaunchName,
  LauncherList,
  ReasonRequest,
  RunnerDetail,
  RunnerList,
} from "@kernelbot/core";
import { z } from "zod";
import { ADMINISTRATOR, get, post } from "./contract.ts";
import { Id, limit } from "./parameters.ts";

const ByName = z.object({ name: LaunchName });

const UPDATED_RUNNER = { 200: { description: "Updated runner", schema: RunnerDetail } };

export const launchers = {
  list: get("/launchers", {
    summary: "List launchers with their targets, budgets and latest launches",
    ...ADMINISTRATOR,
    query: z.object({ limit: limit(50, 1000) }),
    answers: {
      200: {
        description: "Launchers in the order of the configuration, and launches, newest first",
        schema: LauncherList,
      },
    },
  }),

  endLaunch: post("/launches/{name}/end", {
    summary: "End a launch early",
    ...ADMINISTRATOR,
    params: ByName,
    isIdempotent: true,
    answers: {
      200: {
        description:
          "The launch; its runner can no longer claim runs, and the service is requested to end it shortly after",
        schema: Launch,
      },
      409: { description: "The launch has already ended" },
    },
  }),
};

export const runners = {
  list: get("/runners", {
    summary: "List runners of the last week, and the latest of each target, with their status and current run",
    ...ADMINISTRATOR,
    answers: { 200: { description: "Runners by target and name", schema: RunnerList } },
  }),

  get: get("/runners/{id}", {
    summary: "Get a runner with its machine and canary measurements",
    ...ADMINISTRATOR,
    params: Id,
    answers: UPDATED_RUNNER,
  }),

  pause: post("/runners/{id}/pause", {
    summary: "Pause a runner: it finishes its run and claims no other until it is resumed",
    ...ADMINISTRATOR,
    params: Id,
    body: ReasonRequest,
    isIdempotent: true,
    answers: UPDATED_RUNNER,
  }),

  drain: post("/runners/{id}/drain", {
    summary: "Drain a runner: it finishes its run and exits",
    ...ADMINISTRATOR,
    params: Id,
    body: ReasonRequest,
    isIdempotent: true,
    answers: UPDATED_RUNNER,
  }),

  resume: post("/runners/{id}/resume", {
    summary: "Resume a runner; one that was paused by the server takes a new baseline",
    ...ADMINISTRATOR,
    params: Id,
    isIdempotent: true,
    answers: UPDATED_RUNNER,
  }),

  revoke: post("/runners/{id}/revoke", {
    summary: "Revoke the token that a runner joined with, which ends all its runners",
    ...ADMINISTRATOR,
    params: Id,
    isIdempotent: true,
    answers: { 204: { description: "Token revoked" } },
  }),

  tokens: get("/runner-tokens", {
    summary: "List the join tokens of all accounts",
    ...ADMINISTRATOR,
    answers: { 200: { description: "Valid join tokens, newest first", schema: JoinTokenList } },
  }),

  revokeToken: post("/runner-tokens/{id}/revoke", {
    summary: "Revoke a join token",
    ...ADMINISTRATOR,
    params: Id,
    isIdempotent: true,
    answers: { 204: { description: "Token revoked" } },
  }),
};
