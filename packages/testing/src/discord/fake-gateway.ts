/** Fake gateway, with sessions that can be resumed and then receive the missed events. */
import type { Server } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";

export interface FakeGateway {
  /** Response of `GET /gateway/bot`. */
  about(): object;
  /** Sends an event to all connections, and to sessions that resume later. */
  dispatch(name: string, data: object): void;
  /** Closes every connection such that its session can be resumed. */
  drop(): void;
  /** Number of identify requests, and of resumed sessions. */
  readonly identified: number;
  readonly resumed: number;
  /** Resolves when a connection has identified itself or resumed. */
  connected(): Promise<void>;
  close(): void;
}

interface Payload {
  op: number;
  d?: unknown;
  s?: number;
  t?: string;
}

const HEARTBEAT_MS = 41_250;
const Op = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, hello: 10, heard: 11 } as const;

export function openFakeGateway(server: Server, url: string): FakeGateway {
  const sockets = new WebSocketServer({ server, path: "/gateway" });
  const ready = new Set<WebSocket>();
  const payloads: Payload[] = [];
  let [identified, resumed] = [0, 0];
  let waiting = Promise.withResolvers<undefined>();

  sockets.on("connection", (socket) => {
    const send = (payload: Payload): void => socket.send(JSON.stringify(payload));
    send({ op: Op.hello, d: { heartbeat_interval: HEARTBEAT_MS } });
    socket.on("close", () => {
      ready.delete(socket);
      if (ready.size === 0) waiting = Promise.withResolvers();
    });
    socket.on("message", (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString()) as Payload;
      if (op === Op.heartbeat) return send({ op: Op.heard });
      if (op === Op.identify) {
        identified += 1;
        send({ op: Op.dispatch, t: "READY", s: payloads.length, d: readyBody() });
      } else if (op === Op.resume) {
        resumed += 1;
        const { seq } = d as { seq: number };
        for (const payload of payloads) if ((payload.s ?? 0) > seq) send(payload);
        send({ op: Op.dispatch, t: "RESUMED", s: payloads.length, d: {} });
      } else return;
      ready.add(socket);
      waiting.resolve(undefined);
    });
  });

  function readyBody(): object {
    const user = { id: "1", username: "kernelbot", discriminator: "0", bot: true, avatar: null };
    const application = { id: "1", flags: 0 };
    return { v: 10, user, guilds: [], session_id: "session", resume_gateway_url: url, application, shard: [0, 1] };
  }

  return {
    about: () => ({
      url,
      shards: 1,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 1_000_000, max_concurrency: 1 },
    }),
    dispatch(name, data) {
      const payload = { op: Op.dispatch, t: name, s: payloads.length + 1, d: data };
      payloads.push(payload);
      for (const socket of ready) socket.send(JSON.stringify(payload));
    },
    drop() {
      for (const socket of ready) socket.close(4000);
    },
    get identified() {
      return identified;
    },
    get resumed() {
      return resumed;
    },
    connected: () => waiting.promise,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}
