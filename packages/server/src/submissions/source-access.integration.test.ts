import { expect, test } from "vitest";
import type { CodeVisibility } from "@kernelbot/core";
import { canSeeSubmission, STRANGER, visibilityKeyOf } from "../auth/visibility.ts";
import { changeCompetition } from "../competitions/change.ts";
import { licenseSubmission } from "./licence.ts";
import { inHours, join, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, failing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { sourceRefusal } from "./source-access.ts";

useScene();
useOrganiser();

/** Returns for each kind of viewer whether they may read the source. */
async function readers(id: number) {
  const may = async (who: typeof STRANGER) => (await sourceRefusal(database, who, id)) === null;
  return { author: await may(ann), moderator: await may(root), other: await may(bob), stranger: await may(STRANGER) };
}

const ITS_OWN = { author: true, moderator: true, other: false, stranger: false };
const PUBLIC = { author: true, moderator: true, other: true, stranger: true };

const ended = () => ({ startsAt: inHours(-1), endsAt: new Date().toISOString() });

test.each<[CodeVisibility, object, object]>([
  ["after_end", ITS_OWN, PUBLIC],
  ["always", PUBLIC, PUBLIC],
  ["never", ITS_OWN, ITS_OWN],
])(
  "with the rule %s others may read sources on the board during the competition: %j, after its end: %j",
  async (rule, during, after) => {
    await made({ codeVisibility: rule });
    const id = await ranked(database, ann, box, 100, { board: "triple" });
    expect(await readers(id)).toEqual(during);
    await changeCompetition(database, olga, spec({ codeVisibility: rule, ...ended() }));
    expect(await readers(id)).toEqual(after);
  },
);

test("sources that are not on the board stay private: slower, failed, and other modes", async () => {
  await made({ codeVisibility: "always" });
  const slow = await ranked(database, ann, box, 200, { board: "triple" });
  await ranked(database, ann, box, 100, { board: "triple" });
  const checked = await submitted(database, ann, { board: "triple" });
  await claimed(database, box);
  const failed = await submitted(database, ann, { board: "triple", mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  for (const id of [slow, checked, failed]) expect(await readers(id)).toEqual(ITS_OWN);
});

test.each<[CodeVisibility, CodeVisibility]>([
  ["never", "always"],
  ["never", "after_end"],
  ["after_end", "always"],
])("changing the rule from %s to %s publishes no source that was submitted before", async (before, after) => {
  await made({ codeVisibility: before });
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec({ codeVisibility: after }));
  expect(await readers(id)).toEqual(ITS_OWN);
  const later = await ranked(database, bob, box, 100, { board: "triple" });
  expect((await readers(later)).stranger).toBe(after === "always");
});

test("changing the rule to never hides what it showed before", async () => {
  await made({ codeVisibility: "always" });
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec({ codeVisibility: "never" }));
  expect(await readers(id)).toEqual(ITS_OWN);
});

test("an organiser who puts a practice problem into a competition opens no source and no failed submission of others", async () => {
  const entry = await ranked(database, ann, box, 100, { board: "triple" });
  const failed = await submitted(database, ann, { board: "triple", mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await made({ codeVisibility: "always" });
  expect(await readers(entry)).toEqual(ITS_OWN);
  expect(await sourceRefusal(database, olga, entry)).toMatchObject({
    message: `the source of submission ${entry} is visible only to its author`,
  });
  expect(await canSeeSubmission(database, visibilityKeyOf(olga), failed)).toBe(false);
  await licenseSubmission(database, ann, entry, { licence: "MIT" });
  expect(await readers(entry)).toEqual(PUBLIC);
});

test("postponing the end of a competition hides the sources again", async () => {
  await made();
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec(ended()));
  expect(await readers(id)).toEqual(PUBLIC);
  const { endsAt } = await changeCompetition(database, olga, spec({ endsAt: inHours(5) }));
  expect(await sourceRefusal(database, bob, id)).toMatchObject({
    code: "forbidden",
    message: `the source of submission ${id} is visible only to its author until ${endsAt}`,
  });
});

test("practice sources are public if the author chose a licence", async () => {
  const id = await ranked(database, ann, box, 100);
  expect(await readers(id)).toEqual(ITS_OWN);
  await licenseSubmission(database, ann, id, { licence: "MIT" });
  expect(await readers(id)).toEqual(PUBLIC);
  await licenseSubmission(database, ann, id, { licence: null });
  expect(await readers(id)).toEqual(ITS_OWN);
});

test("sources of a closed competition are readable by its members only, and hidden from others", async () => {
  await made({ visibility: "closed" });
  await join(ann);
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec({ visibility: "closed", ...ended() }));
  expect(await sourceRefusal(database, bob, id)).toMatchObject({ code: "not_found" });
  await join(bob);
  expect(await sourceRefusal(database, bob, id)).toBeNull();
});
