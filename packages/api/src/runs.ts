import { ArtifactLink, ArtifactLinkRequest, ArtifactName, KeyList, RunDetail, SignedReceipt } from "@kernelbot/core";
import { z } from "zod";
import { get, post } from "./contract.ts";
import { Id } from "./parameters.ts";

export const ArtifactAddress = Id.extend({ name: ArtifactName });

export const runs = {
  get: get("/runs/{id}", {
    summary: "Get a run with its stages, cases and samples: the caller's own, or that of a visible entry",
    scope: null,
    params: Id,
    answers: {
      200: {
        description:
          "Current state; without messages, output, review, artifacts and machine name if the run belongs to another account",
        schema: RunDetail,
      },
    },
  }),

  receipt: get("/runs/{id}/receipt", {
    summary: "Get the signed receipt of a ranked run that passed; as visible as its board",
    scope: null,
    params: Id,
    answers: {
      200: { description: "Receipt; the same bytes on every request until the board is closed", schema: SignedReceipt },
    },
  }),

  keys: get("/keys", {
    summary: "List the public keys for verifying receipts",
    scope: null,
    answers: { 200: { description: "All current and former keys, newest first", schema: KeyList } },
  }),

  artifact: get("/runs/{id}/artifacts/{name}", {
    summary: "Download an artifact of a run",
    scope: "read",
    params: ArtifactAddress,
    answers: {
      200: {
        description: "Content, written by the submission and not verified",
        schema: z.string(),
        mediaType: "application/octet-stream",
        headers: { "Content-Disposition": "attachment with the file name", ETag: "SHA-256 of the content" },
      },
      410: { description: "Artifact deleted after its retention period" },
    },
  }),

  linkArtifact: post("/runs/{id}/artifacts/{name}/links", {
    summary: "Create a download link for an artifact, which needs no token and expires",
    scope: "read",
    params: ArtifactAddress,
    body: ArtifactLinkRequest,
    isIdempotent: true,
    answers: {
      201: { description: "Download link", schema: ArtifactLink },
      410: { description: "Artifact deleted after its retention period" },
    },
  }),

  linkedArtifact: get("/links/{link}", {
    summary: "Download the artifact of a link",
    scope: null,
    params: z.object({ link: z.string().max(1000) }),
    answers: {
      200: { description: "Content of the artifact", schema: z.string(), mediaType: "application/octet-stream" },
    },
  }),
};
