import {
  Profile,
  ComparedSubmissions,
  LateEntryRequest,
  LICENCES,
  Submission,
  SubmissionConsent,
  SubmissionList,
  SubmitRequest,
  TargetName,
  Transcript,
  TranscriptRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { ORGANISER, del, get, post, put } from "./contract.ts";
import { After, Id, LastEventId, limit, wholeNumber } from "./parameters.ts";

/** The two submissions to compare, and the target. */
const Compared = z.object({
  a: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  b: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  target: TargetName.optional().describe("Optional if the submissions have exactly one target in common"),
});

/** A submission as multipart form data, for the OpenAPI document. */
const SubmitForm = z.object({
  board: SubmitRequest.shape.board,
  target: z.array(z.string()).describe("Repeat the field, or separate targets by commas"),
  mode: SubmitRequest.shape.mode,
  file: z.file(),
  author: SubmitRequest.shape.author,
  model: SubmitRequest.shape.model,
  licence: z
    .enum([...LICENCES, ""])
    .optional()
    .describe("Empty: not published"),
  anonymous: z.enum(["true", "false"]).optional(),
});

const ALLOWANCE_HEADERS = {
  "RateLimit-Policy": "Limits that apply (draft-ietf-httpapi-ratelimit-headers); absent without limits",
  RateLimit: "Remaining allowance of each limit",
};

export const submissions = {
  submit: post("/submissions", {
    summary: "Submit a file to a board",
    scope: "submit",
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .describe("Repeating a request with the same key returns the first submission"),
    }),
    body: SubmitRequest,
    otherBodies: { "multipart/form-data": SubmitForm },
    answers: {
      202: {
        description: "Submission stored and queued",
        schema: Submission,
        headers: { Location: "URL of the submission", ...ALLOWANCE_HEADERS },
      },
      429: {
        description: "A submission limit of the account is reached",
        headers: { "Retry-After": "Seconds until another submission is accepted", ...ALLOWANCE_HEADERS },
      },
    },
  }),

  enterLate: post("/late-entries", {
    summary: "Enter a ranked submission for an account after the deadline of a competition that the caller organises",
    ...ORGANISER,
    body: LateEntryRequest,
    answers: {
      202: {
        description: "Submission stored and queued; it counts on the board and is marked as a late entry",
        schema: Submission,
        headers: { Location: "URL of the submission" },
      },
      409: { description: "The problem still accepts submissions, or its boards were removed" },
      429: { description: "A submission limit of the account is reached" },
    },
  }),

  list: get("/submissions", {
    summary: "List the caller's submissions, newest first",
    scope: "read",
    query: z.object({
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
      limit: limit(25, 200),
    }),
    answers: { 200: { description: "One page of submissions", schema: SubmissionList } },
  }),

  get: get("/submissions/{id}", {
    summary: "Get a submission and the state of its runs: the caller's own, or an entry on a visible board",
    scope: null,
    params: Id,
    answers: {
      200: { description: "Current state", schema: Submission, headers: { ETag: "Changes with the submission" } },
      304: { description: "Not modified since the given ETag" },
    },
  }),

  source: get("/submissions/{id}/source", {
    summary: "Get a submission's source: the caller's own, or one that its competition's rule has published",
    scope: null,
    params: Id,
    answers: { 200: { description: "Source text", schema: z.string(), mediaType: "text/plain" } },
  }),

  profile: get("/submissions/{id}/profile", {
    summary: "Get the profile of a submission in mode profile, summarized: for its owner and moderators",
    scope: "read",
    params: Id,
    answers: { 200: { description: "Summaries of its traces, and texts of device profilers", schema: Profile } },
  }),

  transcript: get("/submissions/{id}/transcript", {
    summary: "Get the transcript of the session that led to a submission: for those who may read its source",
    scope: null,
    params: Id,
    answers: { 200: { description: "Transcript as it was attached", schema: Transcript } },
  }),

  attachTranscript: put("/submissions/{id}/transcript", {
    summary: "Attach the transcript of one of the caller's sessions to one of the caller's submissions",
    scope: "submit",
    params: Id,
    body: TranscriptRequest,
    answers: {
      200: { description: "Copy of the transcript, which remains when the session is deleted", schema: Transcript },
      409: { description: "The submission has the transcript of another session" },
    },
  }),

  events: get("/submissions/{id}/events", {
    summary: "Stream a submission's log as server-sent events until submission_finished",
    scope: "read",
    params: Id,
    query: After,
    headers: LastEventId,
    answers: {
      200: {
        description:
          "`log` messages: the id counts from 1, the data is a LogEvent; a comment every 15 s keeps the connection alive",
        schema: z.string(),
        mediaType: "text/event-stream",
      },
    },
  }),

  cancel: post("/submissions/{id}/cancel", {
    summary: "Cancel a submission's queued and running runs",
    scope: "submit",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "Updated submission", schema: Submission } },
  }),

  withdraw: del("/submissions/{id}", {
    summary: "Remove one of the caller's submissions from its boards while they are open, and cancel its runs",
    scope: "submit",
    params: Id,
    answers: {
      200: { description: "Submission, now visible only to its owner and moderators", schema: Submission },
    },
  }),

  compare: get("/compare", {
    summary: "Compare two submissions: runtimes, sources and machines",
    scope: "read",
    query: Compared,
    answers: {
      200: { description: "Comparison of their latest attempts", schema: ComparedSubmissions },
      429: { description: "More than 30 comparisons by this account within a minute" },
      503: { description: "Comparison queue full; retry after Retry-After" },
    },
  }),

  consent: get("/submissions/{id}/licence", {
    summary: "Get the licence and anonymity of one of the caller's submissions",
    scope: "read",
    params: Id,
    answers: { 200: { description: "Licence and anonymity of the submission", schema: SubmissionConsent } },
  }),

  changeConsent: put("/submissions/{id}/licence", {
    summary: "Set the licence of one of the caller's submissions, or withdraw it before publication",
    scope: "submit",
    params: Id,
    body: SubmissionConsent,
    answers: {
      200: { description: "Updated submission", schema: Submission },
      409: { description: "Already published under another licence" },
    },
  }),
};
