import {
  Account,
  Anonymity,
  DeviceCode,
  DeviceError,
  DevicePoll,
  DeviceRequest,
  DeviceToken,
  Erasure,
  ErasurePreview,
  ErasureRequest,
  LicenceChoice,
  NewToken,
  Person,
  TokenList,
  TokenRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { get, post, put } from "./contract.ts";
import { Id } from "./parameters.ts";

/** An account's id never changes, unlike its name. */
const PersonAddress = z.object({ id: z.string().min(1).max(200) });

export const device = {
  requestCode: post("/device/code", {
    summary: "Start a device authorization (RFC 8628)",
    scope: null,
    body: DeviceRequest,
    isForm: true,
    answers: { 200: { description: "User code to show, and device code to poll with", schema: DeviceCode } },
  }),

  pollToken: post("/device/token", {
    summary: "Poll for the token of a device authorization",
    scope: null,
    body: DevicePoll,
    isForm: true,
    answers: {
      200: { description: "Authorized; the token is returned only once", schema: DeviceToken },
      400: { description: "Authorization pending, denied or expired", schema: DeviceError },
    },
  }),
};

export const account = {
  get: get("/account", {
    summary: "Get the caller's account and permissions",
    scope: "read",
    answers: { 200: { description: "Account of the token or session", schema: Account } },
  }),

  signOut: post("/sign-out", {
    summary: "Revoke the caller's token or session",
    scope: "read",
    answers: { 204: { description: "Revoked" } },
  }),

  licence: get("/account/licence", {
    summary: "Get the default licence of the caller's new submissions; null: not published",
    scope: "read",
    answers: { 200: { description: "Default licence of the account", schema: LicenceChoice } },
  }),

  chooseLicence: put("/account/licence", {
    summary: "Set the default licence of the caller's new submissions",
    scope: "submit",
    body: LicenceChoice,
    answers: { 200: { description: "Updated; applies to new submissions", schema: LicenceChoice } },
  }),

  anonymity: get("/account/anonymity", {
    summary: "Get whether the caller's submissions are published under a pseudonym",
    scope: "read",
    answers: { 200: { description: "Default of the account", schema: Anonymity } },
  }),

  chooseAnonymity: put("/account/anonymity", {
    summary: "Set whether the caller's submissions are published under a pseudonym",
    scope: "submit",
    body: Anonymity,
    answers: {
      200: {
        description: "Updated; applies to submissions without a setting of their own, in snapshots created from now on",
        schema: Anonymity,
      },
    },
  }),
};

/** Description of a response with the export of an account. */
export const ACCOUNT_EXPORT = {
  description: "ZIP file with everything that is stored about the account",
  schema: z.string(),
  mediaType: "application/zip",
};

export const personalData = {
  export: get("/account/export", {
    summary: "Export everything that is stored about the caller's account, as a ZIP file",
    scope: "account",
    answers: { 200: ACCOUNT_EXPORT },
  }),

  previewErasure: get("/account/erasure", {
    summary: "Get what an erasure of the caller's account would delete and keep",
    scope: "account",
    answers: { 200: { description: "Counts, and what must be done before", schema: ErasurePreview } },
  }),

  erase: post("/account/erasure", {
    summary: "Erase the caller's account: its results stay on leaderboards under a pseudonym",
    scope: "account",
    body: ErasureRequest,
    answers: {
      200: { description: "Erased; sources and outputs are deleted within minutes", schema: Erasure },
    },
  }),
};

export const tokens = {
  list: get("/tokens", {
    summary: "List the caller's valid tokens",
    scope: "account",
    answers: { 200: { description: "Tokens without their secrets, newest first", schema: TokenList } },
  }),

  create: post("/tokens", {
    summary: "Create a token, with at most the permissions of the caller's token",
    scope: "account",
    body: TokenRequest,
    answers: { 201: { description: "Token with its secret, which is returned only once", schema: NewToken } },
  }),

  revoke: post("/tokens/{id}/revoke", {
    summary: "Revoke one of the caller's tokens",
    scope: "account",
    params: Id,
    isIdempotent: true,
    answers: { 204: { description: "Revoked" } },
  }),
};

export const people = {
  get: get("/accounts/{id}", {
    summary: "Get a profile: the boards, records, teams and activity that are visible to the caller",
    scope: null,
    params: PersonAddress,
    answers: { 200: { description: "Current profile", schema: Person } },
  }),
};
