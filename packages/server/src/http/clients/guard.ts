/** Limits of what clients may use of one server. */
import { countClients, type Clients } from "./clients.ts";
import { countConnections, mostConnections, type Connections } from "./connections.ts";
import type { ClientLimits } from "./limits.ts";

interface ClientGuard {
  clients: Clients;
  connections: Connections;
}

/**
 * Creates the limits.
 * @param proxies Number of proxies in front of the server; behind a proxy, connections do not identify clients.
 */
export function guardClients(limits: ClientLimits, proxies: number): ClientGuard {
  const most = mostConnections();
  // Streams may occupy half of the connections; the rest is for requests, which end soon.
  return {
    clients: countClients(limits, Math.floor(most / 2)),
    connections: countConnections(limits, most, proxies === 0),
  };
}
