/**
 * Forward proxy as companies have: CONNECT for TLS, absolute addresses for plain HTTP, with user name and password. It
 * connects to `target` whatever the requested host is, so that a host which exists nowhere is reached through it only.
 */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

export interface ForwardProxy extends AsyncDisposable {
  /** Address with user name and password. */
  url: string;
  /** What passed, such as `CONNECT discord.com:443` or `GET http://server.test/healthz`. */
  requests: string[];
}

const CREDENTIALS = "ann:s3cret pass";

/** @param target Port of loopback to which every connection leads. */
export async function startForwardProxy(target: number): Promise<ForwardProxy> {
  const requests: string[] = [];
  const expected = `Basic ${Buffer.from(CREDENTIALS).toString("base64")}`;
  const open = new Set<Socket>();
  const server = createServer((incoming, response) => {
    if (incoming.headers["proxy-authorization"] !== expected) return void response.writeHead(407).end();
    requests.push(`${incoming.method} ${incoming.url}`);
    const url = new URL(incoming.url ?? "");
    const { "proxy-authorization": _, "proxy-connection": __, ...headers } = incoming.headers;
    const path = `${url.pathname}${url.search}`;
    const outgoing = request({ port: target, host: "127.0.0.1", method: incoming.method, path, headers });
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connect", (incoming, client: Socket) => {
    if (incoming.headers["proxy-authorization"] !== expected) {
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    }
    requests.push(`CONNECT ${incoming.url}`);
    const upstream = connect(target, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    open.add(client).add(upstream);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const [user = "", password = ""] = CREDENTIALS.split(":").map(encodeURIComponent);
  return {
    url: `http://${user}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      open.forEach((socket) => socket.destroy());
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
