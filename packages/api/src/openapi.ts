/** The OpenAPI 3.1 document of /api/v1, generated from the contracts and their schemas. */
import * as core from "@kernelbot/core";
import { z } from "zod";
import type { Answer, Contract } from "./contract.ts";

/** Schemas that become named components of the document. */
const NAMED = {
  Account: core.Account,
  AccountSummary: core.AccountSummary,
  AuditEntry: core.AuditEntry,
  DeviceCode: core.DeviceCode,
  DeviceError: core.DeviceError,
  DeviceToken: core.DeviceToken,
  NewToken: core.NewToken,
  RoleChange: core.RoleChange,
  SignInLink: core.SignInLink,
  SignInLinkRequest: core.SignInLinkRequest,
  Token: core.Token,
  TokenRequest: core.TokenRequest,
  WeightChange: core.WeightChange,
  Artifact: core.Artifact,
  ApiError: core.ApiError,
  Board: core.Board,
  BoardSummary: core.BoardSummary,
  BoardRow: core.BoardRow,
  BoardHistory: core.BoardHistory,
  HistoryPoint: core.HistoryPoint,
  EntrantHistory: core.EntrantHistory,
  CaseValue: core.CaseValue,
  Claimed: core.Claimed,
  ClaimRequest: core.ClaimRequest,
  ComparedSubmissions: core.ComparedSubmissions,
  Competition: core.Competition,
  CompetitionSpec: core.CompetitionSpec,
  Invite: core.Invite,
  LogEvent: core.LogEvent,
  Machine: core.Machine,
  Problem: core.Problem,
  ProblemDetail: core.ProblemDetail,
  ProblemSpec: core.ProblemSpec,
  ProblemSummary: core.ProblemSummary,
  RunReport: core.RunReport,
  ReportResponse: core.ReportResponse,
  RunDetail: core.RunDetail,
  RunSummary: core.RunSummary,
  Score: core.Score,
  Submission: core.Submission,
  SubmitRequest: core.SubmitRequest,
  Team: core.Team,
  KernelBenchEntry: core.KernelBenchEntry,
  KernelBenchEntryCheck: core.KernelBenchEntryCheck,
  KernelBenchEntryFault: core.KernelBenchEntryFault,
  KernelBenchEntryFile: core.KernelBenchEntryFile,
  KernelBenchScore: core.KernelBenchScore,
  KernelBenchEntrySummary: core.KernelBenchEntrySummary,
  KernelResult: core.KernelResult,
  StoredBaseline: core.StoredBaseline,
  Suite: core.Suite,
  SyncedProblem: core.SyncedProblem,
  SyncReport: core.SyncReport,
  SuiteProblem: core.SuiteProblem,
  SuiteSummary: core.SuiteSummary,
  Publication: core.Publication,
  Snapshot: core.Snapshot,
  SnapshotDetails: core.SnapshotDetails,
  SnapshotFile: core.SnapshotFile,
  SnapshotManifest: core.SnapshotManifest,
} satisfies Record<string, z.ZodType>;

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });

const OPTIONS: z.core.ToJSONSchemaParams = {
  metadata: registry,
  io: "input",
  // Types that JSON Schema cannot express, such as a file, become the empty schema.
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    // Passing `metadata` replaces the global registry, which contains the descriptions.
    const description = z.globalRegistry.get(zodSchema)?.description;
    if (description !== undefined) jsonSchema.description = description;
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  },
};

type Json = Record<string, unknown>;

/** Returns the document of the endpoints with the given contracts as a JSON value. */
export function openApiDocument(contracts: Iterable<Contract>): Json {
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    (paths[`/api/v1${contract.path}`] ??= {})[contract.method] = operation(contract);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "KernelBot",
      version: "1",
      description:
        "Competitions in making accelerator kernels fast. Errors are {detail, code}. Times are nanoseconds where their name ends in Ns, and dates are in UTC.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(NAMED).map(([name, shape]) => [name, inlineSchema(shape)])),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of KernelBot; it has scopes." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "kernelbot_session",
          description: "Browser session, for same-origin requests; over HTTPS the cookie name starts with __Host-.",
        },
      },
    },
  };
}

function operation(contract: Contract): Json {
  const { summary, scope, params, query, headers, body, isForm, otherBodies, byteBody, answers } = contract;
  const bodyType = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return {
    summary,
    operationId: operationId(contract),
    tags: [contract.path.split("/")[1]],
    security: scope === null ? [] : [{ token: [scope] }, { session: [] }],
    ...(params || query || headers
      ? { parameters: [...parameters("path", params), ...parameters("query", query), ...parameters("header", headers)] }
      : {}),
    ...(body ? { requestBody: { required: true, content: content({ [bodyType]: body, ...otherBodies }) } } : {}),
    ...(byteBody ? { requestBody: { required: true, content: bytes(byteBody) } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer)])),
      default: response({ description: "Error with its reason", schema: core.ApiError }),
    },
  };
}

/** Returns the operation id: `get /submissions/{id}/events` is `getSubmissionsEvents`. */
function operationId({ method, path }: Contract): string {
  const words = path.split(/[/.]/).filter((part) => part !== "" && !part.startsWith("{"));
  const byKey = path.endsWith("}") ? "One" : "";
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") + byKey;
}

function parameters(place: "path" | "query" | "header", shape: z.ZodObject | undefined): Json[] {
  return Object.entries(shape?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || !z.safeParse(schema, undefined).success,
    schema: jsonSchema(schema as z.ZodType),
  }));
}

function response({ description, schema, mediaType, headers }: Answer): Json {
  return {
    description,
    ...(headers
      ? {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
          ),
        }
      : {}),
    ...(schema ? { content: content({ [mediaType ?? "application/json"]: schema }) } : {}),
  };
}

/** Returns the content of byte bodies; OpenAPI 3.1 describes them without a schema. */
function bytes(mediaTypes: readonly string[]): Json {
  return Object.fromEntries(mediaTypes.map((type) => [type, {}]));
}

function content(shapes: Record<string, z.ZodType>): Json {
  return Object.fromEntries(Object.entries(shapes).map(([type, shape]) => [type, { schema: jsonSchema(shape) }]));
}

/** Returns a reference for a named schema, else the schema itself. */
function jsonSchema(shape: z.ZodType): Json {
  const named = registry.get(shape);
  if (named !== undefined) return { $ref: `#/components/schemas/${named.id}` };
  return inlineSchema(shape);
}

/** Returns the schema itself, with references to the named schemas it contains. */
function inlineSchema(shape: z.ZodType): Json {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape, OPTIONS);
  // A named schema is among the definitions, even when it is the root.
  const own = $defs[registry.get(shape)?.id ?? ""] ?? schema;
  const keywords = Object.entries(own).filter(([key]) => key !== "$schema" && key !== "id");
  return JSON.parse(
    JSON.stringify(Object.fromEntries(keywords)).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json;
}
