/** What guards one server against clients that take too much of it. */
import { countClients, type Clients } from "./clients.ts";
import { countConnections, mostConnections, type Connections } from "./connections.ts";
import type { ClientLimits } from "./limits.ts";

export interface ClientGuard {
  clients: Clients;
  connections: Connections;
}

/** @param proxies Proxies in front of the server; behind one, connections are not the clients' own. */
export function guardClients(limits: ClientLimits, proxies: number): ClientGuard {
  const most = mostConnections();
  // What is not a stream ends soon, and has the other half.
  return {
    clients: countClients(limits, Math.floor(most / 2)),
    connections: countConnections(limits, most, proxies === 0),
  };
}
