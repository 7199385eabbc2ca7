/** WebSocket connections of OpenEnv clients: one connection is one session. */
import { upgradeWebSocket } from "@hono/node-server";
import type { WSContext } from "hono/ws";
import type { ClientCall } from "../client-token.ts";
import { errorMessage, Session } from "./session.ts";

/** Time without a message after which a session is closed, in milliseconds; shorter before its first valid token. */
const IDLE_MS = 15 * 60_000;
const UNIDENTIFIED_MS = 30_000;
/** Maximum number of messages that a client may send ahead of their responses. */
const MAX_AHEAD = 16;

/** Close codes of RFC 6455. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Number of open sessions of this server. */
export interface SessionCount {
  open: number;
}

/** Upgrades a request to a session. The limit is checked after the connection is accepted, as clients expect. */
export function openSession({ c, services, token }: ClientCall, count: SessionCount): Promise<Response> {
  const problem = c.req.param("problem") ?? "";
  const most = services.openEnvSessions;
  const session = new Session(services, { problem, token });
  let isOpen = false;
  let waiting = 0;
  let turn = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  function waitForMessage(socket: WSContext): void {
    clearTimeout(idle);
    const ms = session.isIdentified ? IDLE_MS : UNIDENTIFIED_MS;
    idle = setTimeout(() => end(socket, `no message for ${ms / 1000} s`), ms);
    idle.unref();
  }

  function end(socket: WSContext, reason: string, code = POLICY_VIOLATION): void {
    send(socket, errorMessage("SESSION_ERROR", reason));
    socket.close(code, reason);
  }

  async function respond(socket: WSContext, frame: string): Promise<void> {
    const response = await session.respond(frame);
    waiting -= 1;
    if (!isOpen) return;
    if (response === null) return socket.close();
    send(socket, response);
    if (waiting === 0) waitForMessage(socket);
  }

  let stop: (() => void) | undefined;
  return upgradeWebSocket(c, {
    onOpen(_, socket) {
      if (count.open >= most) {
        const sessions = { active_sessions: count.open, max_sessions: most };
        send(socket, errorMessage("CAPACITY_REACHED", `this server has ${most} sessions open, its maximum`, sessions));
        socket.close(TRY_AGAIN_LATER, "capacity reached");
        return;
      }
      isOpen = true;
      count.open += 1;
      stop = () => end(socket, "the server stops; connect again", GOING_AWAY);
      services.closing.addEventListener("abort", stop);
      waitForMessage(socket);
    },
    onMessage({ data }, socket) {
      if (!isOpen) return;
      if (waiting >= MAX_AHEAD) return end(socket, `more than ${MAX_AHEAD} messages ahead of their responses`);
      clearTimeout(idle);
      waiting += 1;
      const frame = typeof data === "string" ? data : "";
      turn = turn.then(() => respond(socket, frame));
    },
    onClose() {
      clearTimeout(idle);
      if (stop !== undefined) services.closing.removeEventListener("abort", stop);
      if (!isOpen) return;
      isOpen = false;
      count.open -= 1;
      void session.close();
    },
  });
}

function send(socket: WSContext, message: object): void {
  socket.send(JSON.stringify(message));
}
