/** Sign-in links that organisers create for participants, and attempts to gain more with them. */
import { beforeEach, expect, test } from "vitest";
import { made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { createInviteLink, joinByLink, registerByLink } from "../competitions/invite-links.ts";
import { createCompetition } from "../competitions/change.ts";
import { spec } from "@kernelbot/testing/competitions.ts";
import { changeRoles } from "./accounts.ts";
import { linkIdentity } from "./identities.ts";
import type { Identity } from "./identity.ts";
import { createSignInLink, followLink } from "./sign-in-links.ts";
import { authenticateSession } from "./sessions.ts";

useScene();
useOrganiser();

const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1" };
let secret: string;
let zoe: Identity;
beforeEach(async () => {
  await made({ visibility: "closed" });
  ({ secret } = await createInviteLink(database, olga, "spring", { maxUses: 10, days: 1 }));
  zoe = await register("zoe");
});

async function register(name: string, link = secret): Promise<Identity> {
  const { session } = await registerByLink(database, link, name, BROWSER);
  return (await authenticateSession(database, session)) as Identity;
}

const linkTo = (name: string, who = olga) => createSignInLink(database, who, { name, create: false, hours: 24 });

test("an organiser signs a participant in who registered with a link of the competition", async () => {
  const session = await followLink(database, (await linkTo("zoe")).secret, BROWSER);
  expect((await authenticateSession(database, session))?.account).toEqual(zoe.account);
});

/** An organiser of another competition, which `zoe` can join. */
async function otherCompetition(): Promise<{ otto: Identity; otherSecret: string }> {
  const otto = await person(database, "otto", ["submit", "read", "admin"], ["organiser"]);
  await createCompetition(database, otto, spec({ name: "autumn", visibility: "closed", problems: [] }));
  const other = await createInviteLink(database, otto, "autumn", { maxUses: 10, days: 1 });
  return { otto, otherSecret: other.secret };
}

const CHANGES: [what: string, change: () => Promise<unknown>][] = [
  ["became an administrator", () => changeRoles(database, root, "zoe", { add: ["administrator"], remove: [] })],
  ["became a moderator", () => changeRoles(database, root, "zoe", { add: ["moderator"], remove: [] })],
  ["linked an identity", () => linkIdentity(database, zoe, { provider: "github", subject: "1", name: "zoe" })],
  [
    "joined a competition of another organiser",
    async () => joinByLink(database, zoe, (await otherCompetition()).otherSecret),
  ],
];

test.each(CHANGES)(
  "refuses a link to a participant who %s, and a link created before no longer works",
  async (_, change) => {
    const before = await linkTo("zoe");
    await change();
    await expect(linkTo("zoe")).rejects.toMatchObject({ code: "forbidden" });
    await expect(followLink(database, before.secret, BROWSER)).rejects.toMatchObject({ code: "not_found" });
  },
);

test("refuses links to accounts that joined with an existing account, to organisers, administrators and strangers", async () => {
  await joinByLink(database, ann, secret);
  for (const name of ["ann", "bob", "root", "olga"]) {
    await expect(linkTo(name)).rejects.toMatchObject({ code: "forbidden" });
  }
  await expect(linkTo("zoe", bob)).rejects.toMatchObject({ code: "forbidden" });
  const { otto } = await otherCompetition();
  await expect(linkTo("zoe", otto)).rejects.toMatchObject({ code: "forbidden" });
  await expect(createSignInLink(database, olga, { name: "new", create: true, hours: 24 })).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("the link of an organiser who lost the role no longer works", async () => {
  const { secret: link } = await linkTo("zoe");
  await changeRoles(database, root, "olga", { add: [], remove: ["organiser"] });
  await expect(followLink(database, link, BROWSER)).rejects.toMatchObject({ code: "not_found" });
});
