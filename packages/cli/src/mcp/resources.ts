/**
 * MCP resources of a problem, each a complete text:
 *
 *     kernelbot://problems/vectoradd/statement
 *     kernelbot://problems/vectoradd/starters/kernel.py
 *     kernelbot://problems/vectoradd/files/reference.py
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { KernelBotError, ProblemName, startersOf, statementOf, type ProblemDetail } from "@kernelbot/core";
import { connect } from "../config/config.ts";
import { sanitize } from "../output/text.ts";
import { callError } from "./errors.ts";

const ROOT = "kernelbot://problems";

/** Maximum number of problems whose resources are listed; others are accessible through the resource templates. */
const MAX_LISTED = 200;

export function addressOf(problem: string, kind: "starters" | "files", name: string): string {
  return `${ROOT}/${problem}/${kind}/${encodeURIComponent(name)}`;
}

/** Registers the resources. A failed read is an error with the same data as a tool's error. */
export function registerResources(mcp: McpServer, server: string | undefined): void {
  /**
   * Reads a problem and returns one of its texts, selected by `textOf`, which returns null or undefined when it does
   * not exist.
   */
  const read = async (
    uri: URL,
    name: unknown,
    textOf: (problem: ProblemDetail) => string | null | undefined,
    mimeType: string,
  ) =>
    withProtocolErrors(async (): Promise<ReadResourceResult> => {
      const problem = ProblemName.safeParse(name);
      const { client } = await connect(server);
      const text = problem.success ? textOf(await orResourceNotFound(client.problem(problem.data), uri)) : null;
      if (text === null || text === undefined) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType, text: sanitize(text) }] };
    });

  const list = () =>
    withProtocolErrors(async () => {
      const { client } = await connect(server);
      const problems = (await client.problems()).slice(0, MAX_LISTED);
      return {
        resources: problems.map(({ name }) => ({ uri: `${ROOT}/${name}/statement`, name: `${name}: statement` })),
      };
    });

  mcp.registerResource(
    "statement",
    new ResourceTemplate(`${ROOT}/{problem}/statement`, { list }),
    { title: "Statement", description: "Task, cases and limits of a problem", mimeType: "text/markdown" },
    (uri, { problem }) => read(uri, problem, statementOf, "text/markdown"),
  );
  mcp.registerResource(
    "starter",
    new ResourceTemplate(`${ROOT}/{problem}/starters/{name}`, { list: undefined }),
    { title: "Starter", description: "Starter kernel; read_problem lists them", mimeType: "text/plain" },
    (uri, { problem, name }) =>
      read(
        uri,
        problem,
        (detail) => startersOf(detail).find(({ fileName }) => fileName === decoded(name))?.source,
        "text/plain",
      ),
  );
  mcp.registerResource(
    "file",
    new ResourceTemplate(`${ROOT}/{problem}/files/{name}`, { list: undefined }),
    { title: "File", description: "Public file of a problem; read_problem lists them", mimeType: "text/plain" },
    (uri, { problem, name }) =>
      read(
        uri,
        problem,
        ({ files }) => (Object.hasOwn(files, decoded(name)) ? files[decoded(name)] : null),
        "text/plain",
      ),
  );
}

async function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = callError(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, failure.message, failure);
  }
}

async function orResourceNotFound<T>(answer: Promise<T>, uri: URL): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof KernelBotError && error.code === "not_found") throw new ResourceNotFoundError(uri.href);
    throw error;
  });
}

/** Decodes a percent-encoded part of an address; empty when it is invalid. */
function decoded(part: unknown): string {
  try {
    return decodeURIComponent(String(part));
  } catch {
    return "";
  }
}
