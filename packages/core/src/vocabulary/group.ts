/** Groups of accounts at the OpenID Connect issuer. */
import { z } from "zod";

/**
 * Name of a group as the issuer writes it: a path at Keycloak (`/kernels/judges`), an object id at Microsoft Entra.
 * Compared exactly.
 */
export const GroupName = z
  .string()
  .min(1, "name a group")
  .max(255, "use at most 255 characters")
  .regex(/^\P{C}+$/u, "use printable characters");
