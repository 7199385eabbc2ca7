/**
 * A closed loop of HTTP/1.1 requests over plain sockets: each connection sends its next request when the last one is
 * answered. Cheap on purpose, since on a small machine client and server share the cores.
 */
import { connect, type Socket } from "node:net";

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** The next request's method, path, headers and body. */
  next: () => { method: string; path: string; headers: Record<string, string>; body?: string };
  /** The status that each answer must have. */
  status: number;
  /** Hears how long each answer took, from its request to its last byte, in milliseconds. */
  onAnswer?: (ms: number) => void;
}

/** Answers per second. @throws Error at the first answer of another status. */
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
      // Compressed pages come in chunks, of which the last is empty.
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
