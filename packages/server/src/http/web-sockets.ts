/** Settings of all WebSocket connections. The routes decide which requests are upgraded. */
import type { IncomingMessage } from "node:http";
import type { WebSocketServerLike } from "@hono/node-server";
import { DEFAULT_BODY } from "@kernelbot/api";
import { WebSocketServer, type WebSocket } from "ws";

/** Interval of pings, in milliseconds: below the idle timeouts of common proxies. A connection that misses one is closed. */
const PING_MS = 30_000;

/** Returns whether a request asks for a WebSocket; other upgrades, such as to HTTP/2, are answered as plain requests. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** Creates the WebSocket server that the HTTP server passes upgraded connections to. */
export function openWebSocketServer(): WebSocketServerLike {
  const server = new WebSocketServer({ noServer: true, maxPayload: DEFAULT_BODY.maxBytes });
  server.on("connection", closeWhenDead);
  // The interface is written for the types of ws without exactOptionalPropertyTypes.
  return server as unknown as WebSocketServerLike;
}

function closeWhenDead(socket: WebSocket): void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS);
  timer.unref();
  socket.on("pong", () => (isAlive = true));
  socket.on("close", () => clearInterval(timer));
}
