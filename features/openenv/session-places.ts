/**
 * Places of the open sessions of a server. A connection takes one of them with its first valid token, which may be that of its
 * request; until then it has one of the few places of its network, so that connections without a token keep out no client
 * with one.
 */
import { countDown } from "@kernelbot/server/src/http/clients/clients.ts";

/** Maximum number of connections of a network that have sent no valid token yet. */
const MOST_UNIDENTIFIED = 64;

export class SessionPlaces {
  readonly most: number;
  /** Number of sessions with a valid token. */
  open = 0;
  readonly #unidentified = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /**
   * Takes the place of a new connection.
   * @param network Null for a connection whose request has a valid token.
   * @returns null if the server or the network has none left.
   */
  take(network: string | null): Place | null {
    const count = network === null ? 0 : (this.#unidentified.get(network) ?? 0);
    if (this.open >= this.most || count >= MOST_UNIDENTIFIED) return null;
    if (network === null) this.open += 1;
    else this.#unidentified.set(network, count + 1);
    let state: "unidentified" | "session" | null = network === null ? "session" : "unidentified";
    const free = (): void => {
      if (state === "unidentified" && network !== null) countDown(this.#unidentified, network);
      if (state === "session") this.open -= 1;
      state = null;
    };
    return {
      identify: () => {
        if (state === "session") return true;
        free();
        if (this.open >= this.most) return false;
        this.open += 1;
        state = "session";
        return true;
      },
      free,
    };
  }
}

export interface Place {
  /** Exchanges the place of the network for one of a session, once. @returns false if the server has none left. */
  identify(): boolean;
  free(): void;
}
