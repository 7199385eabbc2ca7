/** Documents that describe an environment: metadata, JSON Schemas, OpenAPI and `openenv.yaml`. */
import { statementOf, type Problem } from "@kernelbot/core";
import { z } from "zod";
import { CodeAction, Observation, ResetRequest, State, StepRequest, StepResult } from "./messages.ts";

const input = (shape: z.ZodType): object => z.toJSONSchema(shape, { io: "input" });

export const SCHEMAS = {
  // Without the action of the ticket: this schema is for the model.
  action: input(CodeAction),
  observation: z.toJSONSchema(Observation),
  state: z.toJSONSchema(State),
};

/** @param origin Origin of the server, which has the documentation. */
export function metadataOf(problem: Problem, version: string, origin: string): object {
  return {
    name: problem.spec.name,
    description: problem.spec.description.trim(),
    readme_content: statementOf(problem),
    version,
    author: "KernelBot",
    documentation_url: `${origin}/docs/guides/train-with-openenv`,
  };
}

function json(schema: object): object {
  return { "application/json": { schema } };
}

function operation(summary: string, answer: object, body?: object): object {
  return {
    summary,
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    responses: { 200: { description: summary, content: json(answer) } },
  };
}

/** Returns the OpenAPI document. Paths are relative to the environment's URL. */
export function openApiOf(name: string, url: string): object {
  const result = z.toJSONSchema(StepResult);
  const anyObject = { type: "object" };
  return {
    openapi: "3.1.0",
    info: { title: `KernelBot: ${name}`, version: "1.0.0" },
    servers: [{ url }],
    paths: {
      "/health": { get: operation("Get the health of the environment", anyObject) },
      "/metadata": { get: operation("Describe the environment", anyObject) },
      "/schema": { get: operation("Get the JSON Schemas of actions, observations and states", anyObject) },
      "/reset": { post: operation("Start an episode", result, input(ResetRequest)) },
      "/step": { post: operation("Judge a kernel", result, input(StepRequest)) },
      "/state": { get: operation("Get the state of a new session", z.toJSONSchema(State)) },
      "/mcp": { post: operation("Send a JSON-RPC 2.0 message", anyObject, anyObject) },
    },
  };
}

export function manifestOf(name: string, url: string): string {
  return [
    `# This environment already runs, at ${url}`,
    "spec_version: 1",
    `name: ${name}`,
    "type: space",
    "# The format requires these fields; there is nothing to start.",
    "runtime: fastapi",
    "app: server.app:app",
    "port: 8000",
    "",
  ].join("\n");
}
