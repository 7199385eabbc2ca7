/** TCP load balancer in front of several servers: each connection goes to the next server that accepts it. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Relay extends AsyncDisposable {
  url: string;
}

export async function startRelay(ports: readonly number[]): Promise<Relay> {
  let turn = 0;
  const open = new Set<Socket>();

  function forward(client: Socket, tries: number): void {
    const upstream = connect(ports[turn++ % ports.length] as number, "127.0.0.1");
    open.add(upstream).add(client);
    upstream.once("connect", () => {
      client.pipe(upstream).pipe(client);
    });
    upstream.once("error", () => (upstream.connecting && tries > 1 ? forward(client, tries - 1) : client.destroy()));
    upstream.once("close", () => open.delete(upstream) && upstream.bytesRead > 0 && client.destroy());
    client.once("error", () => upstream.destroy()).once("close", () => upstream.destroy());
  }

  const server = createServer((client) => forward(client, ports.length)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
