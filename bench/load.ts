/**
 * Closed-loop HTTP/1.1 load generator over plain sockets: each connection sends its next request when the previous one
 * is answered. It uses little CPU, since client and server share the cores of a small machine.
 */
import { connect, type Socket } from "node:net";

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** Returns method, path, headers and body of the next request. */
  next: () => { method: string; path: string; headers: Record<string, string>; body?: string };
  /** Expected status of every response. */
  status: number;
  /** Receives the latency of each response, from its request to its last byte, in milliseconds. */
  onAnswer?: (ms: number) => void;
}

/** Returns the responses per second. @throws Error at the first response with another status. */
export async function load({ url, connections, seconds, next, status, onAnswer }: Load): Promise<number> {
  const { hostname, port } = new URL(url);
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () =>
      loop(connect(Number(port), hostname), () => request(next(), hostname), until, status, onAnswer),
    ),
  );
  const elapsed = (performance.now() - started) / 1000;
  return counts.reduce((sum, count) => sum + count, 0) / elapsed;
}

function request({ method, path, headers, body = "" }: ReturnType<Load["next"]>, host: string): string {
  const lines = Object.entries({ host, ...headers, "content-length": String(Buffer.byteLength(body)) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n${body}`;
}

function loop(
  socket: Socket,
  next: () => string,
  until: number,
  status: number,
  onAnswer?: (ms: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let received = "";
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(next());
    };
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.once("error", reject);
    socket.once("connect", send);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const head = received.indexOf("\r\n\r\n");
      if (head < 0) return;
      // Compressed pages are chunked; the last chunk is empty.
      const isChunked = /\r\ntransfer-encoding: chunked/i.test(received);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
      const isWhole = isChunked ? received.endsWith("\r\n0\r\n\r\n") : received.length >= head + 4 + length;
      if (!isWhole) return;
      if (!received.startsWith(`HTTP/1.1 ${status}`)) {
        socket.destroy();
        reject(new Error(`expected ${status}, got: ${received.slice(0, 600)}`));
        return;
      }
      answered += 1;
      onAnswer?.(performance.now() - sentAt);
      received = "";
      if (performance.now() < until) send();
      else {
        socket.destroy();
        resolve(answered);
      }
    });
  });
}
