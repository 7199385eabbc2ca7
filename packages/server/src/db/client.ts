/**
 * Clients of postgres.js, each of one connection that is never replaced: when it ends, so does the client, and whoever
 * made it makes another. postgres.js can replace a connection by itself, but one that breaks between the writing of a
 * message and its sending then keeps the message, and answers nothing any more.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import postgres from "postgres";

/** Where a database is: an address, or the socket of our own. */
export type Connection = { url: string } | { path: string; user: string; database: string };

export interface ClientOptions {
  /** How the database lists the connection. */
  name?: string;
  /** Hears that the connection has ended. */
  onclose?: () => void;
}

const CONNECT_MS = 10_000;

/** Makes a client, which connects when it is first asked. Integers of 64 bits become numbers: our identifiers stay far below 2^53. */
export function openClient(connection: Connection, { name = "kernelbot", onclose }: ClientOptions = {}): postgres.Sql {
  let connected = false;
  const settings = {
    max: 1,
    max_lifetime: null,
    onnotice: () => undefined,
    connection: { application_name: name },
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    socket: (place: Place): Promise<Socket> => {
      if (connected) throw Object.assign(new Error("the connection has ended"), { code: "CONNECTION_CLOSED" });
      connected = true;
      return openSocket(place, onclose);
    },
  };
  // The type of our 64-bit integers concerns parameters that we do not use.
  return "url" in connection ? postgres(connection.url, settings) : postgres({ ...settings, ...connection });
}

/** What postgres.js has read from an address. */
interface Place {
  path: string | false;
  host: string[];
  port: number[];
}

async function openSocket({ path, host, port }: Place, onclose?: () => void): Promise<Socket> {
  const socket = path === false ? connect(port[0] as number, host[0]) : connect(path);
  if (onclose !== undefined) socket.once("close", onclose);
  await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_MS) });
  // By this name postgres.js checks the certificate of a server.
  return path === false ? Object.assign(socket, { host: host[0] }) : socket;
}
