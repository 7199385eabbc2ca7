import type { SignInMethods } from "@kernelbot/core";
import type { Mailer } from "../auth/email/mailer.ts";
import type { Provider } from "../auth/providers.ts";

/** Public address of the server and the sign-in methods. */
export interface Site {
  /** Public URL; undefined to use the origin of each request. */
  publicUrl?: string | undefined;
  /** Number of proxies in front of the server, each of which appends to X-Forwarded-For. */
  proxies: number;
  providers: readonly Provider[];
  /** Sends the links of sign-in by e-mail; undefined where it is not configured. */
  mailer?: Mailer | undefined;
}

/** Returns the sign-in methods that pages offer. */
export function signInMethodsOf({ providers, mailer }: Site): SignInMethods {
  return {
    providers: providers.map(({ name, label }) => ({ name, label })),
    email: mailer === undefined ? null : { domains: mailer.domains },
  };
}
