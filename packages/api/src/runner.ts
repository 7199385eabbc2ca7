import {
  Artifact,
  CanaryReport,
  CanaryResponse,
  ClaimRequest,
  ClaimResponse,
  MediaType,
  Problem,
  ReportResponse,
  RunReport,
  RunnerCheck,
  RunnerCheckRequest,
  RunnerToken,
} from "@kernelbot/core";
import { z } from "zod";
import { ARTIFACT_BODY, REPORT_BODY } from "./body-limits.ts";
import { get, post, put } from "./contract.ts";
import { ArtifactAddress } from "./runs.ts";
import { Id, wholeNumber } from "./parameters.ts";

export const runner = {
  join: post("/runner/join", {
    summary: "Exchange a proof of identity for the token of a launch",
    scope: null,
    answers: {
      200: { description: "Token that is valid for the duration of the launch", schema: RunnerToken },
      401: { description: "The proof does not identify a launch of this server" },
    },
  }),

  check: post("/runner/check", {
    summary: "Check whether a runner may claim runs for a target; changes nothing",
    scope: "runner",
    body: RunnerCheckRequest,
    isIdempotent: true,
    answers: {
      200: { description: "The runner would be accepted", schema: RunnerCheck },
      403: {
        description:
          "The token is for other targets, the hardware does not match the target, or the token does not allow another runner",
      },
    },
  }),

  claim: post("/runner/claim", {
    summary: "Claim a run for a target (long poll)",
    scope: "runner",
    body: ClaimRequest,
    answers: {
      200: { description: "Leased run, or a command for the runner", schema: ClaimResponse },
      204: { description: "No run was queued within the timeout" },
      403: { description: "Hardware does not match the target, or the token does not allow another runner" },
      429: { description: "Another runner process with this name is online" },
    },
  }),

  problem: get("/runner/problems/{version}", {
    summary: "Get the problem version of a leased run, with its files",
    scope: "runner",
    params: z.object({ version: z.string().regex(/^[0-9a-f]{64}$/, "use the 64 hexadecimal digits of a version") }),
    answers: {
      200: { description: "Problem version; immutable", schema: Problem },
      404: { description: "The token leases no run of this version" },
    },
  }),

  report: post("/runner/runs/{id}/report", {
    summary: "Report events of an attempt and renew its lease",
    scope: "runner",
    params: Id,
    body: RunReport,
    bodyLimit: REPORT_BODY,
    answers: {
      200: { description: "Events stored", schema: ReportResponse },
      409: { description: "The attempt is no longer assigned to this runner" },
    },
  }),

  uploadArtifact: put("/runner/runs/{id}/artifacts/{name}", {
    summary: "Upload an artifact of an attempt, before reporting its event",
    scope: "runner",
    params: ArtifactAddress,
    query: z.object({ attempt: wholeNumber(1, 2 ** 31 - 1) }),
    byteBody: MediaType.options,
    bodyLimit: ARTIFACT_BODY,
    answers: {
      200: { description: "Artifact stored", schema: Artifact },
      409: { description: "The attempt is no longer assigned to this runner" },
    },
  }),

  reportCanary: post("/runner/canary", {
    summary: "Report a canary measurement",
    scope: "runner",
    body: CanaryReport,
    answers: {
      200: { description: "Result of the comparison with the baseline", schema: CanaryResponse },
      409: { description: "This runner has not claimed work" },
    },
  }),
};
