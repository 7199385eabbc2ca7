/**
 * What can be read of a problem, whole:
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
import { KernelBotError, ProblemName, startersOf, type ProblemDetail } from "@kernelbot/core";
import { connect } from "../config.ts";
import { statementOf } from "../init/statement.ts";
import { cleaned } from "../text.ts";
import { callError } from "./errors.ts";

const ROOT = "kernelbot://problems";

/** Problems whose resources are listed one by one; those of others are read by their templates. */
const MAX_LISTED = 200;

export function addressOf(problem: string, kind: "starters" | "files", name: string): string {
  return `${ROOT}/${problem}/${kind}/${encodeURIComponent(name)}`;
}

/** Registers the resources; what fails is an error with the data of a tool's error. */
export function registerResources(mcp: McpServer, server: string | undefined): void {
  /** Reads the problem of an address and gives a text of it; null where it has no such text. */
  const read = async (
    uri: URL,
    name: unknown,
    textOf: (problem: ProblemDetail) => string | null | undefined,
    mimeType: string,
  ) =>
    answering(async (): Promise<ReadResourceResult> => {
      const problem = ProblemName.safeParse(name);
      const { client } = await connect(server);
      const text = problem.success ? textOf(await found(client.problem(problem.data), uri)) : null;
      if (text === null || text === undefined) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType, text: cleaned(text) }] };
    });

  const list = () =>
    answering(async () => {
      const { client } = await connect(server);
      const problems = (await client.problems()).slice(0, MAX_LISTED);
      return {
        resources: problems.map(({ name }) => ({ uri: `${ROOT}/${name}/statement`, name: `${name}: statement` })),
      };
    });

  mcp.registerResource(
    "statement",
    new ResourceTemplate(`${ROOT}/{problem}/statement`, { list }),
    { title: "Statement", description: "What a problem asks for, its cases and limits", mimeType: "text/markdown" },
    (uri, { problem }) => read(uri, problem, statementOf, "text/markdown"),
  );
  mcp.registerResource(
    "starter",
    new ResourceTemplate(`${ROOT}/{problem}/starters/{name}`, { list: undefined }),
    { title: "Starter", description: "A kernel to begin with; read_problem names them", mimeType: "text/plain" },
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
    { title: "File", description: "A public file of a problem; read_problem names them", mimeType: "text/plain" },
    (uri, { problem, name }) =>
      read(
        uri,
        problem,
        ({ files }) => (Object.hasOwn(files, decoded(name)) ? files[decoded(name)] : null),
        "text/plain",
      ),
  );
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = callError(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, failure.message, failure);
  }
}

async function found<T>(answer: Promise<T>, uri: URL): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof KernelBotError && error.code === "not_found") throw new ResourceNotFoundError(uri.href);
    throw error;
  });
}

/** A part of an address as it was before it was written into one. */
function decoded(part: unknown): string {
  try {
    return decodeURIComponent(String(part));
  } catch {
    return "";
  }
}
