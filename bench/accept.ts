import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Bench } from "./figure.ts";
import { load } from "./load.ts";
import { startServer } from "../scripts/processes.ts";

const SECONDS = 8;
const CONNECTIONS = 64;

/**
 * Measures durable submissions per second accepted by one server with its embedded database, the client on the same
 * machine. Peer: an HTTP server that parses the same body and stores nothing.
 */
export const accept: Bench = async () => {
  await using server = await startServer();
  let serial = 0;
  const next = () => {
    serial += 1;
    const body = JSON.stringify({
      board: "vectoradd",
      targets: ["cpu"],
      mode: "test",
      fileName: "kernel.py",
      source: `# ${serial}\ndef custom_kernel(data):\n    a, b, c = data\n    return c.copy_(a + b)\n`,
    });
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    return { method: "POST", path: "/api/v1/submissions", headers, body };
  };
  await load({ url: server.url, connections: CONNECTIONS, seconds: 2, next, status: 202 });
  const value = await load({ url: server.url, connections: CONNECTIONS, seconds: SECONDS, next, status: 202 });

  const bare = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      JSON.parse(body);
      response.writeHead(202, { "content-type": "application/json", "content-length": 2 }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(bare, "listening");
  const url = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  const peerValue = await load({ url, connections: CONNECTIONS, seconds: 3, next, status: 202 });
  bare.close();
  return [{ name: "submissions accepted", value, unit: "/s", peer: "bare node:http, nothing stored", peerValue }];
};
