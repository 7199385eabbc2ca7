/** Kinds of competitions, which features add. */
import type { Identity } from "../../auth/identity.ts";
import type { Services } from "../../services.ts";

type KindServices = Pick<Services, "database" | "features">;

const kindsOf = ({ features }: KindServices) => features.flatMap(({ competitionKind: kind }) => kind ?? []);

/** Returns the links to the pages of the kinds of a competition. */
export async function listKindLinks(services: KindServices, competition: string) {
  const links = await Promise.all(
    kindsOf(services).map(async ({ path, label, includes }) =>
      (await includes(services.database, competition)) ? [{ path: `/competitions/${competition}/${path}`, label }] : [],
    ),
  );
  return links.flat();
}

/** Returns the links to the pages of all kinds, for organisers. */
export function adminKindLinks(services: KindServices, competition: string) {
  return kindsOf(services).map(({ path, adminLabel }) => ({
    path: `/admin/competitions/${competition}/${path}`,
    label: adminLabel,
  }));
}

/**
 * Calls `joined` of each kind of competition after an account has joined one.
 * @param identity The account; null if it was just created by an invite link.
 * @returns the path on which the account continues.
 */
export async function continueAfterJoin(
  services: KindServices,
  identity: Identity | null,
  competition: string,
): Promise<string> {
  const { database } = services;
  for (const { path, includes, joined } of kindsOf(services)) {
    const isOfKind = await (identity === null
      ? includes(database, competition)
      : joined(database, identity, competition));
    if (isOfKind) return `/competitions/${competition}/${path}`;
  }
  return `/competitions/${competition}`;
}
