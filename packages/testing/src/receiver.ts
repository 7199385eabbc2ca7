/** Webhook receiver on a loopback socket. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  port: number;
  received: Received[];
  /** Sets the response from now on. */
  answer(reply: (response: ServerResponse, request: Received) => void): void;
}

/** Starts a receiver, which responds with 204 by default. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let reply = (response: ServerResponse, _request: Received): unknown => response.writeHead(204).end();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const seen = { path: request.url ?? "", headers: request.headers, body };
      received.push(seen);
      reply(response, seen);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer(next) {
      reply = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
