/**
 * OpenEnv environments: one per problem, below `/openenv/PROBLEM`. Requests over HTTP have no episode; only a WebSocket
 * has. The behaviour is that of /api/v1/evaluations.
 */
import { KernelBotError } from "@kernelbot/core";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import type { PageRoute } from "@kernelbot/server/src/http/page.ts";
import { readUpload } from "@kernelbot/server/src/evaluations/uploaded-problems.ts";
import { readProblem } from "@kernelbot/server/src/problems/problems.ts";
import { unknownBoardError } from "@kernelbot/server/src/submissions/refusal.ts";
import { z } from "zod";
import { clientRoute, identifyClient, tokenOf, type ClientCall } from "@kernelbot/server/src/http/client-token.ts";
import { manifestOf, metadataOf, openApiOf, SCHEMAS } from "./documents.ts";
import { firstResult, readTask, startJudging, STEP_MS, waitForResult } from "./environment.ts";
import { respondToMcp } from "./mcp.ts";
import { ResetRequest, StepRequest } from "./messages.ts";
import { SessionPlaces } from "./session-places.ts";
import { openSession } from "./web-socket.ts";

const BASE = "/openenv/:problem";

export const OPENENV_ROUTES: readonly PageRoute[] = [
  clientRoute("get", `${BASE}/health`, "viewer", async (call) => {
    await readVisible(call);
    return call.c.json({ status: "healthy" });
  }),
  clientRoute("get", `${BASE}/metadata`, "viewer", async (call) => {
    const { problem, version } = await readVisible(call);
    return call.c.json(metadataOf(problem, version, originOf(call.c, call.services.site)));
  }),
  clientRoute("get", `${BASE}/schema`, "anyone", ({ c }) => c.json(SCHEMAS)),
  clientRoute("get", `${BASE}/openapi.json`, "anyone", ({ c, services }) =>
    c.json(openApiOf(nameOf(c), addressOf({ c, services }))),
  ),
  clientRoute("get", `${BASE}/openenv.yaml`, "anyone", ({ c, services }) =>
    c.body(manifestOf(nameOf(c), addressOf({ c, services })), 200, {
      "content-type": "application/yaml; charset=utf-8",
    }),
  ),
  clientRoute("post", `${BASE}/reset`, "submit", reset),
  clientRoute("post", `${BASE}/step`, "submit", step),
  clientRoute("get", `${BASE}/state`, "anyone", ({ c }) => c.json({ episode_id: null, step_count: 0 })),
  clientRoute("post", `${BASE}/mcp`, "anyone", async ({ c }) => c.json(respondToMcp(await readJson(c, z.unknown())))),
  webSocketRoute(`${BASE}/ws`),
];

function webSocketRoute(path: string): PageRoute {
  return {
    ...{ method: "get", path, access: "anyone" },
    mount(app, services) {
      const places = new SessionPlaces(services.options.openenvSessions);
      app.get(path, (c) => {
        if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
          throw new KernelBotError("bad_request", "This address is for WebSocket connections.");
        }
        return openSession({ c, services, token: tokenOf(c) }, places);
      });
    },
  };
}

async function reset({ c, services, token }: ClientCall): Promise<Response> {
  const {
    token: ownToken,
    seed: _seed,
    episode_id: _id,
    max_turns: maxTurns,
    ...settings
  } = await readJson(c, ResetRequest);
  const identity = await identifyClient(services.database, token ?? ownToken, "submit");
  return c.json(firstResult(await readTask(services, identity, nameOf(c), { settings, maxTurns })));
}

async function step({ c, services, token }: ClientCall): Promise<Response> {
  const { token: ownToken, action, timeout_s: timeoutS, request_id: _id, ...settings } = await readJson(c, StepRequest);
  const identity = await identifyClient(services.database, token ?? ownToken, "submit");
  const task = await readTask(services, identity, nameOf(c), { settings, maxTurns: 1 });
  const ticket = "ticket" in action ? action.ticket : await startJudging(services, identity, task, action);
  const waitMs = Math.min(STEP_MS, (timeoutS ?? Infinity) * 1000);
  return c.json(await waitForResult(services, identity, task, ticket, { turn: 0, waitMs, signal: c.req.raw.signal }));
}

/** Returns the problem, if the caller may see it. */
async function readVisible({ c, services: { database }, token }: ClientCall) {
  const identity = token === undefined ? undefined : await identifyClient(database, token, "read");
  const uploaded = identity === undefined ? null : await readUpload(database, identity, nameOf(c));
  const found = uploaded ?? (await readProblem(database, identity, nameOf(c)));
  if (found === null) throw await unknownBoardError(database, identity, nameOf(c));
  return found;
}

function nameOf(c: ClientCall["c"]): string {
  return c.req.param("problem") ?? "";
}

/** Returns the URL of the environment. */
function addressOf({ c, services }: Pick<ClientCall, "c" | "services">): string {
  return `${originOf(c, services.site)}/openenv/${nameOf(c)}`;
}
