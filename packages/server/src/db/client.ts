import postgres from "postgres";

/** Where a database is: an address, or the socket of our own. */
export type Connection = { url: string } | { path: string; user: string; database: string };

/** What a client may be asked for besides. */
export interface ClientOptions {
  /** Connections at most. */
  max: number;
  connection?: { application_name: string };
  /** Hears of each connection that ends. */
  onclose?: () => void;
}

/** A client of postgres.js with our settings. Integers of 64 bits become numbers: our identifiers stay far below 2^53. */
export function openClient(connection: Connection, options: ClientOptions): postgres.Sql {
  const settings = {
    connect_timeout: 10,
    // A connection that is replaced for its age would end the transaction or the lock that it holds.
    max_lifetime: null,
    backoff: () => 0.05,
    onnotice: () => undefined,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    ...options,
  };
  // The type of our 64-bit integers concerns parameters that we do not use.
  return "url" in connection ? postgres(connection.url, settings) : postgres({ ...settings, ...connection });
}
