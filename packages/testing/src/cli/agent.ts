/** MCP client of the SDK, with `kernelbot mcp` as its child process. */
import { Client, type CallToolResult, type RequestOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inject } from "vitest";

export interface Agent extends AsyncDisposable {
  client: Client;
  /** Calls a tool. Returns its data, its text, or its error. */
  call: (name: string, args?: Record<string, unknown>, options?: RequestOptions) => Promise<Answer>;
}

export interface Answer {
  data: Record<string, unknown> | undefined;
  text: string;
  error: { class: string; message: string; whatToDo: string } | undefined;
}

export async function openAgent(env: Record<string, string>): Promise<Agent> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [inject("commandLine"), "mcp"], env }),
  );
  return {
    client,
    call: async (name, args = {}, options) => answerOf(await client.callTool({ name, arguments: args }, options)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function answerOf({ isError, structuredContent, content }: CallToolResult): Answer {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const error = isError ? (JSON.parse(text) as { error: Answer["error"] }).error : undefined;
  return { data: structuredContent as Answer["data"], text, error };
}
