import { expect, test } from "vitest";
import {
  formatAllowance,
  formatLimit,
  formatLimits,
  limitsIn,
  limitsOf,
  parseLimits,
  rateLimitFields,
  type Allowance,
} from "./limits.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOURLY: Allowance = {
  ...{ mode: "ranked", quantity: "per_hour", bound: 10, competition: "spring", board: null },
  ...{ used: 7, nextAt: null },
};
const FULL: Allowance = { ...HOURLY, used: 10, nextAt: "2026-03-01T12:05:00.400Z" };
const AT_ONCE: Allowance = { ...HOURLY, quantity: "concurrent", bound: 2, used: 2 };
const SECONDS: Allowance = { ...HOURLY, quantity: "gpu_seconds_per_day", bound: 600, used: 188.2 };

test("limits in a line equal those of the file, in both directions", () => {
  const limits = parseLimits(" ranked_per_hour=10, test_concurrent = 4,ranked_gpu_seconds_per_day=600 ");
  expect(limits).toEqual({ rankedPerHour: 10, testConcurrent: 4, rankedGpuSecondsPerDay: 600 });
  expect(limitsOf(limitsIn(limits))).toEqual(limits);
  expect(formatLimits(limits)).toBe("test_concurrent=4, ranked_per_hour=10, ranked_gpu_seconds_per_day=600");
  expect(parseLimits(formatLimits(limits))).toEqual(limits);
  expect(parseLimits("")).toEqual({});
});

test("a limit of 0 closes its mode", () => {
  const limits = parseLimits("profile_per_hour=0");
  expect(limits).toEqual({ profilePerHour: 0 });
  expect(limitsIn(limits).map(formatLimit)).toEqual(["no profile submissions"]);
  const closed = { ...HOURLY, bound: 0, used: 0, nextAt: null };
  expect(formatAllowance(closed)).toBe("ranked submissions are closed");
  expect(rateLimitFields([closed], NOW).limit).toBe('"ranked-per-hour";r=0');
});

test.each(["ranked=1", "ranked_per_hour=-1", "ranked_per_hour=1.5", "ranked_per_hour", "ranked_per_hour=999999"])(
  "%s is not a valid limit and is quoted in the error",
  (text) => expect(() => parseLimits(text)).toThrow(`"${text}" is not a valid limit; write MODE_per_hour`),
);

test("the remaining allowance is formatted as a sentence", () => {
  expect([HOURLY, FULL, AT_ONCE, SECONDS].map(formatAllowance)).toEqual([
    "3 of 10 ranked submissions within an hour are left",
    "0 of 10 ranked submissions within an hour are left; the next is accepted at 2026-03-01 12:05:00 UTC",
    "0 of 2 ranked runs at once are left; one of them must end first",
    "411 of 600 GPU-seconds of ranked runs within a day are left",
  ]);
});

test("rate-limit fields name quota, window, unit and remainder", () => {
  expect(rateLimitFields([FULL, AT_ONCE, SECONDS], NOW)).toEqual({
    policy:
      '"ranked-per-hour";q=10;w=3600;qu="requests", "ranked-concurrent";q=2;qu="concurrent-requests", ' +
      '"ranked-gpu-seconds-per-day";q=600;w=86400;qu="gpu-seconds"',
    limit: '"ranked-per-hour";r=0;t=301, "ranked-concurrent";r=0, "ranked-gpu-seconds-per-day";r=411',
  });
});
