/** MCP messages of OpenEnv clients. The environment has no tools: its actions are kernels. */
import { z } from "zod";

const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string(),
});

/** Error codes of JSON-RPC 2.0. */
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

/** Returns the JSON-RPC 2.0 response to a message, which may be invalid. */
export function respondToMcp(message: unknown): object {
  const { success, data } = Request.safeParse(message);
  const frame = { jsonrpc: "2.0", id: data?.id ?? null };
  const error = (code: number, text: string) => ({ ...frame, error: { code, message: text } });
  if (!success) return error(INVALID_REQUEST, "expected a JSON-RPC 2.0 request with jsonrpc and method");
  if (data.method === "tools/list") return { ...frame, result: { tools: [] } };
  if (data.method === "tools/call") return error(INVALID_PARAMS, "this environment has no tools; send kernels by step");
  return error(METHOD_NOT_FOUND, `unknown method; this environment has tools/list and tools/call`);
}
