import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@kernelbot/api";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";
import { load } from "./load.ts";

const SECONDS = 8;
const CONNECTIONS = 64;

/**
 * Measures polls of one submission per second, the client on the same machine. Peer: an HTTP server that returns a
 * constant of the same size.
 */
export const polls: Bench = async () => {
  await using server = await startServer();
  const client = createClient({ server: server.url, token: server.token });
  const { id } = await client.submit({
    board: "vectoradd",
    targets: ["cpu"],
    mode: "test",
    fileName: "k.py",
    source: "x = 1\n",
  });
  const path = `/api/v1/submissions/${id}`;
  const headers = { authorization: `Bearer ${server.token}` };
  const next = () => ({ method: "GET", path, headers });
  await load({ url: server.url, connections: CONNECTIONS, seconds: 2, next, status: 200 });
  const whole = await load({ url: server.url, connections: CONNECTIONS, seconds: SECONDS, next, status: 200 });
  const etag = (await fetch(server.url + path, { headers })).headers.get("etag") ?? "";
  const conditional = { ...headers, "if-none-match": etag };
  const unchanged = await load({
    url: server.url,
    connections: CONNECTIONS,
    seconds: SECONDS,
    next: () => ({ method: "GET", path, headers: conditional }),
    status: 304,
  });

  const answer = JSON.stringify(await client.submission(id));
  const bare = createServer((_, response) => {
    response
      .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) })
      .end(answer);
  }).listen(0, "127.0.0.1");
  await once(bare, "listening");
  const url = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  const peerValue = await load({ url, connections: CONNECTIONS, seconds: 3, next, status: 200 });
  bare.close();
  const peer = "bare node:http, a constant";
  return [
    { name: "polls", value: whole, unit: "/s", peer, peerValue },
    { name: "polls, nothing new", value: unchanged, unit: "/s", peer, peerValue },
  ];
};
