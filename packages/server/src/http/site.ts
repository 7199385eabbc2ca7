import type { Provider } from "../people/providers.ts";

/** How the server is reached, and who vouches for people. */
export interface Site {
  /** The address that people use; undefined where it is that of each request. */
  publicUrl?: string | undefined;
  /** Proxies in front of the server, each of which adds to X-Forwarded-For. */
  proxies: number;
  providers: readonly Provider[];
}
