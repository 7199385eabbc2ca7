import { bodyLimitOf } from "@kernelbot/api";
import { post } from "@kernelbot/api/contract";
import { z } from "zod";

const GitHubHeaders = z.object({
  "x-hub-signature-256": z.string().optional().describe("HMAC-SHA256 of the body with the webhook secret"),
  "x-github-event": z.string().optional(),
  "x-github-delivery": z.string().optional().describe("Delivery id; a repeated id is the same delivery"),
});

/** Limit of a delivery. A pull request event repeats its texts several times. */
const DELIVERY_BODY = bodyLimitOf("A webhook delivery", 3_000_000);

export const pullRequestContracts = {
  delivery: post("/kernelbench/github", {
    summary: "Receive a GitHub pull request event",
    scope: null,
    headers: GitHubHeaders,
    byteBody: ["application/json"],
    bodyLimit: DELIVERY_BODY,
    answers: {
      202: { description: "Stored, or ignored because no work follows from it" },
      401: { description: "Missing or invalid signature" },
      404: { description: "This server has no GitHub App" },
    },
  }),
};
