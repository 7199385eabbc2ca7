/** TCP relay to a database that can be frozen: then nothing is forwarded and no connection closes. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Database } from "@kernelbot/server/src/db/database.ts";

export interface FreezingRelay extends AsyncDisposable {
  /** Value for DATABASE_URL. */
  url: string;
  freeze(): void;
  /** Forwards again; bytes received while frozen are lost, and their connections are closed. */
  thaw(): void;
  /** Closes the open connection at index `at`, modulo their number. */
  cut(at: number): void;
  /** Refuses connections from now on. */
  refuse(): Promise<void>;
  /** Accepts connections at the same address again. */
  accept(): Promise<void>;
}

export async function startFreezingRelay({ connection }: Pick<Database, "connection">): Promise<FreezingRelay> {
  if ("url" in connection) throw new Error("the tests' database is reached by its socket");
  const { path, user, database } = connection;
  const open = new Set<Socket>();
  const lossy = new Set<Socket>();
  let isFrozen = false;

  const server = createServer((near) => {
    const far = connect(path);
    const forward = (to: Socket) => (bytes: Buffer) => {
      if (isFrozen) lossy.add(near);
      else to.write(bytes);
    };
    open.add(near);
    near.on("data", forward(far));
    far.on("data", forward(near));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", () => isFrozen || other.destroy());
    }
    near.on("close", () => {
      open.delete(near);
      far.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function refuse(): Promise<void> {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  }

  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    freeze: () => void (isFrozen = true),
    thaw() {
      isFrozen = false;
      for (const socket of lossy) socket.destroy();
      lossy.clear();
    },
    cut: (at) => void Array.from(open)[at % open.size]?.destroy(),
    refuse,
    async accept() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    [Symbol.asyncDispose]: refuse,
  };
}
