import {
  AccountLimits,
  AccountList,
  AccountWeight,
  AuditExport,
  AuditLog,
  Erasure,
  ErasurePreview,
  ErasureRequest,
  ROLES,
  RoleChange,
  RoleList,
  SignInLink,
  SignInLinkRequest,
  WeightChange,
} from "@kernelbot/core";
import { z } from "zod";
import { ACCOUNT_EXPORT } from "./account.ts";
import { ADMINISTRATOR, ORGANISER, get, post, put } from "./contract.ts";
import { limit, wholeNumber } from "./parameters.ts";

const AccountQuery = z.object({
  after: z.string().max(200).optional(),
  search: z.string().max(200).optional().describe("Part of the name"),
  only: z
    .enum([...ROLES, "banned"])
    .optional()
    .describe("Only accounts with a role, or banned accounts"),
  limit: limit(100, 500),
});

const AuditQuery = z.object({
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  act: z.string().max(100).optional(),
  account: z.string().max(200).optional().describe("Name of the account that acted"),
  limit: limit(100, 500),
});

export const accounts = {
  list: get("/admin/accounts", {
    summary: "List accounts by name",
    ...ADMINISTRATOR,
    query: AccountQuery,
    answers: { 200: { description: "One page of accounts", schema: AccountList } },
  }),

  changeRoles: post("/admin/accounts/{name}/roles", {
    summary: "Add and remove roles of an account",
    ...ADMINISTRATOR,
    params: z.object({ name: z.string().max(200) }),
    body: RoleChange,
    isIdempotent: true,
    answers: { 200: { description: "Updated roles", schema: RoleList } },
  }),

  changeWeight: post("/admin/accounts/{name}/weight", {
    summary: "Set an account's weight in the fair queue, effective from the next claim",
    ...ADMINISTRATOR,
    params: z.object({ name: z.string().max(200) }),
    body: WeightChange,
    isIdempotent: true,
    answers: { 200: { description: "Updated weight", schema: AccountWeight } },
  }),

  createSignInLink: post("/admin/sign-in-links", {
    summary:
      "Create a sign-in link for an account, valid once; organisers only for accounts that were created with an invite link of their competitions and belong nowhere else",
    ...ORGANISER,
    body: SignInLinkRequest,
    answers: { 201: { description: "Sign-in link, which is returned only once", schema: SignInLink } },
  }),

  export: get("/admin/accounts/{name}/export", {
    summary: "Export everything that is stored about an account, on request of its owner; recorded in the audit log",
    ...ADMINISTRATOR,
    params: z.object({ name: z.string().max(200) }),
    answers: { 200: ACCOUNT_EXPORT },
  }),

  previewErasure: get("/admin/accounts/{name}/erasure", {
    summary: "Get what an erasure of an account would delete and keep",
    ...ADMINISTRATOR,
    params: z.object({ name: z.string().max(200) }),
    answers: { 200: { description: "Counts, and what must be done before", schema: ErasurePreview } },
  }),

  erase: post("/admin/accounts/{name}/erasure", {
    summary: "Erase an account on request of its owner: its results stay on leaderboards under a pseudonym",
    ...ADMINISTRATOR,
    params: z.object({ name: z.string().max(200) }),
    body: ErasureRequest,
    answers: {
      200: { description: "Erased; sources and outputs are deleted within minutes", schema: Erasure },
    },
  }),

  audit: get("/admin/audit", {
    summary: "List the audit log of actions that require a role",
    ...ADMINISTRATOR,
    query: AuditQuery,
    answers: { 200: { description: "Audit log, newest first", schema: AuditLog } },
  }),

  exportAudit: get("/admin/audit/export", {
    summary: "Export the audit log, oldest first; the export is recorded in the log",
    ...ADMINISTRATOR,
    query: AuditExport,
    answers: {
      200: {
        description: "All entries of the period, one JSON object per line, or CSV with `format=csv`",
        schema: z.string(),
        mediaType: "application/x-ndjson",
      },
    },
  }),

  raiseLimits: put("/admin/limits", {
    summary: "Raise an account's limits for a competition, a board or the server",
    ...ORGANISER,
    body: AccountLimits,
    answers: { 204: { description: "Limits replaced, effective immediately" } },
  }),
};
