/** Routes of the popcorn client's scripts that change the visibility and the rate limits of a leaderboard. */
import { KernelBotError, ProblemVisibility, quote, type Mode } from "@kernelbot/core";
import { z } from "zod";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import type { PageRoute } from "@kernelbot/server/src/http/page.ts";
import { setProblemVisibility } from "@kernelbot/server/src/problems/visibility.ts";
import { listHourlyLimits, MODES_OF_CATEGORY, setHourlyLimit } from "@kernelbot/server/src/submissions/board-limits.ts";
import { boardNamed } from "./boards.ts";
import { popcornRoute, type PopcornCall } from "./route.ts";

const Category = z.enum(["test", "leaderboard"]);
type Category = z.infer<typeof Category>;

const SetVisibility = z.strictObject({ visibility: ProblemVisibility });
const SetRateLimit = z.strictObject({
  mode_category: Category,
  /** 0 closes the modes of the category. */
  max_submissions_per_hour: z.int().min(0).max(100_000),
});

export const leaderboardSettings: readonly PageRoute[] = [
  popcornRoute("post", "/admin/leaderboards/:leaderboard/visibility", "organiser", setVisibility),
  popcornRoute("get", "/admin/leaderboards/:leaderboard/rate-limits", "organiser", rateLimits),
  popcornRoute("put", "/admin/leaderboards/:leaderboard/rate-limits", "organiser", setRateLimit),
  popcornRoute("delete", "/admin/leaderboards/:leaderboard/rate-limits/:category", "organiser", removeRateLimit),
];

const leaderboardOf = ({ c, services, identity }: PopcornCall) =>
  boardNamed(services.database, identity, c.req.param("leaderboard") ?? "");

async function setVisibility(call: PopcornCall): Promise<Response> {
  const { c, services, identity } = call;
  const { name: leaderboard } = await leaderboardOf(call);
  const { visibility } = await readJson(c, SetVisibility);
  await setProblemVisibility(services.database, identity, leaderboard, visibility);
  return c.json({ status: "ok", leaderboard, visibility });
}

async function rateLimits(call: PopcornCall): Promise<Response> {
  const leaderboard = await leaderboardOf(call);
  const limits = await listHourlyLimits(call.services.database, leaderboard.name);
  const rate_limits = Category.options.flatMap((category) => {
    // A file of a competition may limit each mode differently; the strictest is shown.
    const bounds = limits.flatMap(({ mode, bound }) => (isIn(category, mode) ? [bound] : []));
    return bounds.length === 0 ? [] : [formatRateLimit(leaderboard, category, Math.min(...bounds))];
  });
  return call.c.json({ status: "ok", leaderboard: leaderboard.name, rate_limits });
}

async function setRateLimit(call: PopcornCall): Promise<Response> {
  const { c, services, identity } = call;
  const leaderboard = await leaderboardOf(call);
  const { mode_category: category, max_submissions_per_hour: bound } = await readJson(c, SetRateLimit);
  await setHourlyLimit(services.database, identity, leaderboard.name, { modes: MODES_OF_CATEGORY[category], bound });
  return c.json({ status: "ok", rate_limit: formatRateLimit(leaderboard, category, bound) });
}

async function removeRateLimit(call: PopcornCall): Promise<Response> {
  const { c, services, identity } = call;
  const { name: leaderboard } = await leaderboardOf(call);
  const category = Category.safeParse(c.req.param("category")).data;
  if (category === undefined) {
    const text = quote(c.req.param("category") ?? "");
    throw new KernelBotError("not_found", `${text} is not a mode category; use test or leaderboard`);
  }
  await setHourlyLimit(services.database, identity, leaderboard, { modes: MODES_OF_CATEGORY[category], bound: null });
  return c.json({ status: "ok", leaderboard, mode_category: category });
}

function isIn(category: Category, mode: Mode): boolean {
  return MODES_OF_CATEGORY[category].some((each) => each === mode);
}

function formatRateLimit({ name, number }: { name: string; number: number }, category: Category, bound: number) {
  return {
    // Limits have no number here; this one is stable and unique.
    id: 2 * number + Category.options.indexOf(category),
    leaderboard_id: number,
    leaderboard_name: name,
    mode_category: category,
    max_submissions_per_hour: bound,
  };
}
