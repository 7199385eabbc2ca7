/** Competitions whose members are the members of groups at the sign-in provider. */
import { expect, test } from "vitest";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { linkIdentity, unlinkIdentity } from "../auth/identities.ts";
import type { Identity } from "../auth/identity.ts";
import type { ProviderUser } from "../auth/providers.ts";
import { changeCompetition } from "./change.ts";
import { listCompetitions, readCompetition, readOrganised } from "./competitions.ts";
import { requireParticipant } from "./participants.ts";

useScene();
useOrganiser();

const TEAM = "/kernel team";

function vouched({ account }: Identity, names: string[]): ProviderUser {
  return {
    provider: "oidc",
    subject: `https://issuer ${account.id}`,
    name: "",
    groups: { names, roles: [], mayEnter: true },
  };
}

const isMember = async (who = ann) => (await readCompetition(database, who, "spring")) !== null;

test("members of a group are members of the competition for as long as they have the group", async () => {
  await made({ visibility: "closed", groups: ["/other", TEAM] });
  expect([await isMember(ann), await isMember(bob)]).toEqual([false, false]);
  await linkIdentity(database, ann, vouched(ann, ["/all", TEAM]));
  await linkIdentity(database, bob, vouched(bob, ["/kernel team/interns"]));
  expect([await isMember(ann), await isMember(bob)]).toEqual([true, false]);
  expect((await listCompetitions(database, ann)).map(({ name }) => name)).toEqual(["spring"]);
  await linkIdentity(database, ann, vouched(ann, ["/all"]));
  expect(await isMember(ann)).toBe(false);
  await linkIdentity(database, ann, vouched(ann, [TEAM]));
  await linkIdentity(database, ann, { provider: "github", subject: "1", name: "ann" });
  await unlinkIdentity(database, ann, vouched(ann, []));
  expect(await isMember(ann)).toBe(false);
});

test("a competition that gains or loses a group gains or loses its members at once", async () => {
  await linkIdentity(database, ann, vouched(ann, [TEAM]));
  await made({ visibility: "closed" });
  expect(await isMember()).toBe(false);
  await changeCompetition(database, olga, spec({ visibility: "closed", groups: [TEAM] }));
  expect(await isMember()).toBe(true);
  await changeCompetition(database, olga, spec({ visibility: "closed" }));
  expect(await isMember()).toBe(false);
});

test("where only members participate, members of the group do", async () => {
  await made({ participants: "members", groups: [TEAM] });
  await linkIdentity(database, ann, vouched(ann, [TEAM]));
  const enters = (who: Identity) =>
    database.db.transaction().execute((open) => requireParticipant(open, who.account.id, "spring"));
  await expect(enters(ann)).resolves.toBeUndefined();
  await expect(enters(bob)).rejects.toThrow("only members can submit to spring");
});

test("only those who may change a competition see its groups", async () => {
  const { groups } = await made({ groups: [TEAM] });
  expect(groups).toEqual([TEAM]);
  expect((await readOrganised(database, olga, "spring")).groups).toEqual([TEAM]);
  expect((await readCompetition(database, root, "spring"))?.groups).toEqual([TEAM]);
  for (const reader of [undefined, ann]) {
    expect((await readCompetition(database, reader, "spring"))?.groups).toEqual([]);
    expect((await listCompetitions(database, reader)).map((each) => each.groups)).toEqual([[]]);
  }
});
