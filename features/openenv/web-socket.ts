/** WebSocket connections of OpenEnv clients: one connection is one session. */
import { upgradeWebSocket } from "@hono/node-server";
import type { WSContext } from "hono/ws";
import { networkOf } from "@kernelbot/server/src/auth/rate-limits.ts";
import { addressOf } from "@kernelbot/server/src/http/origin.ts";
import type { ClientCall } from "@kernelbot/server/src/http/client-token.ts";
import type { Place, SessionPlaces } from "./session-places.ts";
import { errorMessage, Session } from "./session.ts";

/** Time without a message after which a session is closed, in milliseconds. */
const IDLE_MS = 15 * 60_000;
/** Bounds of a connection until its first valid token: time since it was opened, messages, and characters of a message. */
const UNIDENTIFIED = { ms: 30_000, messages: 16, length: 16_384 };
/** Maximum number of messages that a client may send ahead of their responses. */
const MAX_AHEAD = 16;

/** Close codes of RFC 6455. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Upgrades a request to a session. The limit is checked after the connection is accepted, as clients expect. */
export async function openSession({ c, services, token }: ClientCall, places: SessionPlaces): Promise<Response> {
  const problem = c.req.param("problem") ?? "";
  const network = networkOf(addressOf(c, services.site));
  const session = new Session(services, { problem, token, client: c.get("client") });
  // A message reports why a token is not valid.
  if (token !== undefined) await session.identify().catch(() => undefined);
  let place: Place | null = null;
  let waiting = 0;
  let unidentified = 0;
  let turn = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function endAfter(socket: WSContext, ms: number, reason: string): void {
    clearTimeout(timer);
    timer = setTimeout(() => end(socket, reason), ms);
    timer.unref();
  }

  function end(socket: WSContext, reason: string, code = POLICY_VIOLATION): void {
    send(socket, errorMessage("SESSION_ERROR", reason));
    socket.close(code, reason);
  }

  function refuse(socket: WSContext): void {
    const { open, most } = places;
    const sessions = { active_sessions: open, max_sessions: most };
    const reason =
      open >= most
        ? `this server has ${most} sessions open, its maximum`
        : "your network has too many connections without a valid token; send the token with the request";
    send(socket, errorMessage("CAPACITY_REACHED", reason, sessions));
    socket.close(TRY_AGAIN_LATER, "capacity reached");
  }

  /** Returns why a frame of a connection without a valid token ends it; null otherwise. */
  function fault(frame: string): string | null {
    if (session.isIdentified) return null;
    unidentified += 1;
    if (unidentified > UNIDENTIFIED.messages)
      return `more than ${UNIDENTIFIED.messages} messages without a valid token`;
    if (frame.length <= UNIDENTIFIED.length) return null;
    return `a message of more than ${UNIDENTIFIED.length} characters before a valid token`;
  }

  async function respond(socket: WSContext, frame: string): Promise<void> {
    if (place === null) return;
    const reason = fault(frame);
    if (reason !== null) return end(socket, reason);
    const response = await session.respond(frame);
    waiting -= 1;
    // It may have been closed meanwhile.
    if ((place as Place | null) === null) return;
    if (response === null) return socket.close();
    if (session.isIdentified && !place.identify()) return refuse(socket);
    send(socket, response);
    if (session.isIdentified && waiting === 0) endAfter(socket, IDLE_MS, `no message for ${IDLE_MS / 1000} s`);
  }

  let stop: (() => void) | undefined;
  return upgradeWebSocket(c, {
    onOpen(_, socket) {
      place = places.take(session.isIdentified ? null : network);
      if (place === null) return refuse(socket);
      stop = () => end(socket, "the server stops; connect again", GOING_AWAY);
      services.closing.addEventListener("abort", stop);
      if (session.isIdentified) endAfter(socket, IDLE_MS, `no message for ${IDLE_MS / 1000} s`);
      else endAfter(socket, UNIDENTIFIED.ms, `no valid token within ${UNIDENTIFIED.ms / 1000} s`);
    },
    onMessage({ data }, socket) {
      if (place === null) return;
      if (waiting >= MAX_AHEAD) return end(socket, `more than ${MAX_AHEAD} messages ahead of their responses`);
      // The time of a connection without a token continues.
      if (session.isIdentified) clearTimeout(timer);
      waiting += 1;
      const frame = typeof data === "string" ? data : "";
      turn = turn.then(() => respond(socket, frame));
    },
    onClose() {
      clearTimeout(timer);
      if (stop !== undefined) services.closing.removeEventListener("abort", stop);
      if (place === null) return;
      place.free();
      place = null;
      void session.close();
    },
  });
}

function send(socket: WSContext, message: object): void {
  socket.send(JSON.stringify(message));
}
