/**
 * KernelGYM's API, so that its trainer works with `server_url` set to `/kernelgym` of this server. The behaviour is
 * that of /api/v1/evaluations.
 */
import { EVALUATIONS_BODY } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import type { PageRoute } from "@kernelbot/server/src/http/page.ts";
import { clientRoute, identifyClient, type ClientCall } from "@kernelbot/server/src/http/client-token.ts";
import { BatchRequest, TaskRequest, WorkflowRequest, type TaskErrorCode } from "./messages.ts";
import { cancelTask, readTask, startTask, waitForTask } from "./tasks.ts";

const RETRY_S = 5;

export const KERNELGYM_ROUTES: readonly PageRoute[] = [
  clientRoute("get", "/kernelgym/health", "anyone", ({ c }) => c.json({ status: "healthy" })),
  kernelGymRoute("post", "/kernelgym/evaluate", "submit", evaluate),
  { ...kernelGymRoute("post", "/kernelgym/evaluate/batch", "submit", evaluateBatch), bodyLimit: EVALUATIONS_BODY },
  kernelGymRoute("post", "/kernelgym/workflow/submit", "submit", submitWorkflow),
  ...["/kernelgym/workflow/results/:id", "/kernelgym/results/:id", "/kernelgym/status/:id"].map((path) =>
    kernelGymRoute("get", path, "read", async ({ c, services, identity }) =>
      c.json(await readTask(services, identity, c.req.param("id") ?? "")),
    ),
  ),
  kernelGymRoute("delete", "/kernelgym/tasks/:id", "submit", async ({ c, services, identity }) =>
    c.json(await cancelTask(services, identity, c.req.param("id") ?? "")),
  ),
];

type KernelGymCall = Pick<ClientCall, "c" | "services"> & { identity: Identity };

async function evaluate({ c, services, identity }: KernelGymCall): Promise<Response> {
  const task = await readJson(c, TaskRequest);
  const id = await startTask(services, identity, task);
  const result = await waitForTask(services, identity, task, { id, signal: c.req.raw.signal });
  if (result.status === "completed") return c.json(result);
  // Its client repeats a request after 503, and would count another status as a reward of -1.
  throw new KernelBotError(
    "unavailable",
    `task ${result.status}: ${result.error_message ?? "not judged yet"}; repeat the request`,
    { retryAfterS: RETRY_S },
  );
}

/** Judges the tasks of a batch at once. A task that cannot be judged does not fail the others. */
async function evaluateBatch({ c, services, identity }: KernelGymCall): Promise<Response> {
  const { batch_id: batchId, tasks } = await readJson(c, BatchRequest);
  const results = await Promise.all(
    tasks.map(async (task) => {
      try {
        const id = await startTask(services, identity, task);
        return await waitForTask(services, identity, task, { id, signal: c.req.raw.signal });
      } catch (error) {
        if (!(error instanceof KernelBotError)) throw error;
        const { message } = error;
        return { task_id: task.task_id, status: "failed", error_message: message, error_code: errorCodeOf(error) };
      }
    }),
  );
  return c.json({ batch_id: batchId, batch_status: "completed", results });
}

async function submitWorkflow({ c, services, identity }: KernelGymCall): Promise<Response> {
  const { payload } = await readJson(c, WorkflowRequest);
  await startTask(services, identity, payload);
  return c.json(await readTask(services, identity, payload.task_id));
}

/** Declares a route whose errors have the client's codes and statuses. */
function kernelGymRoute(
  method: PageRoute["method"],
  path: string,
  access: "read" | "submit",
  handle: (call: KernelGymCall) => Promise<Response>,
): PageRoute {
  return clientRoute(method, path, access, async ({ c, services, token }) => {
    try {
      const identity = await identifyClient(services.database, token, access);
      return await handle({ c, services, identity });
    } catch (error) {
      if (!(error instanceof KernelBotError)) throw error;
      const code = errorCodeOf(error);
      throw new KernelBotError(error.code === "unprocessable" ? "bad_request" : error.code, error.message, {
        ...(error.retryAfterS !== undefined && { retryAfterS: error.retryAfterS }),
        ...{ cause: error, fields: { error_code: code }, headers: { "x-error-code": code } },
      });
    }
  });
}

/** Returns the client's code of an error. */
function errorCodeOf({ status }: KernelBotError): TaskErrorCode {
  if (status === 429) return "RESOURCE_ERROR";
  return status >= 500 ? "SYSTEM_ERROR" : "VALIDATION_ERROR";
}
