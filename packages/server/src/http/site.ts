import type { Provider } from "../auth/providers.ts";

/** Public address of the server and the sign-in providers. */
export interface Site {
  /** Public URL; undefined to use the origin of each request. */
  publicUrl?: string | undefined;
  /** Number of proxies in front of the server, each of which appends to X-Forwarded-For. */
  proxies: number;
  providers: readonly Provider[];
}
