import { expect, test } from "vitest";
import type { CodeVisibility } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition } from "../competitions/change.ts";
import { licenseSubmission } from "./licence.ts";
import { inHours, join, made, olga, spec } from "@kernelbot/testing/competitions.ts";
import { claimed, failing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root } from "@kernelbot/testing/scene.ts";
import { sourceRefusal } from "./source-access.ts";

/** Returns for each kind of viewer whether they may read the source. */
async function readers(id: number) {
  const may = async (who: typeof STRANGER) => (await sourceRefusal(database, who, id)) === null;
  return { author: await may(ann), moderator: await may(root), other: await may(bob), stranger: await may(STRANGER) };
}

const ITS_OWN = { author: true, moderator: true, other: false, stranger: false };
const EVERYBODY = { author: true, moderator: true, other: true, stranger: true };

const ended = () => ({ startsAt: inHours(-1), endsAt: new Date().toISOString() });

test.each<[CodeVisibility, object, object]>([
  ["after_end", ITS_OWN, EVERYBODY],
  ["always", EVERYBODY, EVERYBODY],
  ["never", ITS_OWN, ITS_OWN],
])(
  "by the rule %s others read what is on the board during the competition: %j, after its end: %j",
  async (rule, during, after) => {
    await made({ codeVisibility: rule });
    const id = await ranked(database, ann, box, 100, { board: "triple" });
    expect(await readers(id)).toEqual(during);
    await changeCompetition(database, olga, spec({ codeVisibility: rule, ...ended() }));
    expect(await readers(id)).toEqual(after);
  },
);

test("what is not on the board stays its author's: slower, failed, and other modes", async () => {
  await made({ codeVisibility: "always" });
  const slow = await ranked(database, ann, box, 200, { board: "triple" });
  await ranked(database, ann, box, 100, { board: "triple" });
  const checked = await submitted(database, ann, { board: "triple" });
  await claimed(database, box);
  const failed = await submitted(database, ann, { board: "triple", mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  for (const id of [slow, checked, failed]) expect(await readers(id)).toEqual(ITS_OWN);
});

test("an end that is moved on closes the code again", async () => {
  await made();
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec(ended()));
  expect(await readers(id)).toEqual(EVERYBODY);
  const { endsAt } = await changeCompetition(database, olga, spec({ endsAt: inHours(5) }));
  expect(await sourceRefusal(database, bob, id)).toMatchObject({
    code: "forbidden",
    message: `the source of submission ${id} is its author's alone until ${endsAt}`,
  });
});

test("in practice others read it where its author lets it be published", async () => {
  const id = await ranked(database, ann, box, 100);
  expect(await readers(id)).toEqual(ITS_OWN);
  await licenseSubmission(database, ann, id, { licence: "MIT" });
  expect(await readers(id)).toEqual(EVERYBODY);
  await licenseSubmission(database, ann, id, { licence: null });
  expect(await readers(id)).toEqual(ITS_OWN);
});

test("of a closed competition only members read it, and for others there is none", async () => {
  await made({ visibility: "closed" });
  await join(ann);
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await changeCompetition(database, olga, spec({ visibility: "closed", ...ended() }));
  expect(await sourceRefusal(database, bob, id)).toMatchObject({ code: "not_found" });
  await join(bob);
  expect(await sourceRefusal(database, bob, id)).toBeNull();
});
