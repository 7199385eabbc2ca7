import type { Board } from "@kernelbot/core";
import { ANONYMOUS, BOARD, COMPETITION, HOSTILE, NOW, ROW } from "@kernelbot/testing/web/examples.ts";
import { expect, test } from "vitest";
import { chooseScreenPage, screenPage } from "./page.ts";

function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test.each([
  [
    "screen",
    () =>
      screenPage({
        boards: [{ ...BOARD, rows: [{ ...ROW, account: { id: HOSTILE, name: HOSTILE } }] }],
        isWhole: true,
        competition: { ...COMPETITION, title: HOSTILE },
        now: NOW,
        visit: ANONYMOUS,
      }),
  ],
  [
    "screen selection",
    () =>
      chooseScreenPage({ boards: [], competitions: [{ ...COMPETITION, title: HOSTILE }], most: 12, visit: ANONYMOUS }),
  ],
])("the page %s escapes user text and has no inline styles or scripts", async (_, make) => {
  const page = await make();
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page).not.toMatch(/<script>|<img| style=|<style| on\w+="/);
  expect(page).not.toContain(`"'>`);
});

const boardOf = (name: string, rows = 12): Board => ({
  ...BOARD,
  board: name,
  rows: Array.from({ length: rows }, (_, at) => ({ ...ROW, rank: at + 1, account: { id: `${at}`, name: `p${at}` } })),
});

test("a screen shows the top ten of each board, up to four boards side by side, and rotates more", async () => {
  const screenOf = (boards: Board[]) =>
    screenPage({ boards, isWhole: false, competition: null, now: NOW, visit: ANONYMOUS });
  const four = await screenOf(["a", "b", "c", "d"].map((name) => boardOf(name)));
  expect(four).toContain('data-turn="4"');
  expect(four.match(/data-entrant/g)).toHaveLength(40);
  expect(textOf(four)).toContain("and 2 more");
  expect(four).toContain('data-updates="/boards/a/cpu/updates /boards/b/cpu/updates ');
  const five = await screenOf(["a", "b", "c", "d", "e"].map((name) => boardOf(name)));
  expect(five).toContain('data-turn="3"');
  expect(five).toContain('data-updates="/updates"');
  const some = textOf(await screenOf([boardOf("a"), boardOf("b", 0)]));
  expect(some).toContain("1 leaderboard without entries");
  expect(textOf(await screenOf([boardOf("b", 0)]))).toContain("No entries yet.");
});

test("a screen is dark by default, has no navigation, and counts down", async () => {
  const shown = { boards: [boardOf("a")], isWhole: true, competition: COMPETITION, now: NOW };
  const page = await screenPage({ ...shown, visit: ANONYMOUS });
  expect(page).toContain('data-theme="dark"');
  expect(page).not.toContain("<nav");
  expect(page).toContain('href="/somewhere?a=1"');
  expect(page).toContain('data-updates="/updates?competition=spring"');
  expect(page).toMatch(/<time datetime="[^"]+" data-countdown="running"/);
  expect(await screenPage({ ...shown, visit: { ...ANONYMOUS, theme: "light" } })).toContain('data-theme="light"');
});
