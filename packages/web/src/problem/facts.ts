import {
  EXTENSIONS,
  LANGUAGES,
  formatRankingRule,
  hasWeights,
  MAX_SOURCE_BYTES,
  REGIMES,
  type Language,
  type ProblemDetail,
  type ProblemSpec,
} from "@kernelbot/core";
import { dates } from "../competition/page.ts";
import { html, type Html } from "../html.ts";
import { IMPORTED, marks } from "../results/timing.ts";
import { moment, momentInBoth } from "../layout/format.ts";
import { limitTable } from "../layout/limits.ts";
import { fact } from "../layout/table.ts";
import { labels } from "./list.ts";

const LANGUAGE_NAMES: Record<Language, string> = { py: "Python", cpp: "C++", cu: "CUDA C++" };

/** Renders the rules for submissions, in addition to the description. */
export function facts(problem: ProblemDetail, now: Date): Html {
  const { spec, set, version, versionSince } = problem;
  const legacy = spec.harness === "legacy";
  if (spec.harness === "imported") return importedFacts(problem, now);
  return html`<dl class="facts" aria-label="Facts">
    ${fact("Competition", competition(problem, now))} ${fact("Ranked runs", acceptance(problem, now))}
    ${problem.limits.length === 0 ? null : fact("Account limits", limitTable(problem.limits))} ${labelled(spec)}
    ${fact("Languages", languages(spec))} ${judgingFacts(spec)}
    ${fact("File size", `at most ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes`)}
    ${legacy ? fact("Judged by", marks({ unsandboxed: false, legacyHarness: true })) : null} ${fact("Problem set", set)}
    ${fact("Version", html`<code title="${version}">${version.slice(0, 12)}</code>, since ${moment(versionSince)}`)}
  </dl>`;
}

/** Renders how a submission is ranked, timed and checked, as elements of `dl.facts`. */
export function judgingFacts(spec: ProblemSpec): Html {
  const legacy = spec.harness === "legacy";
  return html`${fact("Ranked by", formatRankingRule(spec.rankingBy, hasWeights(spec)))}
  ${legacy ? null : fact("Calls are timed", REGIMES[spec.regime])}
  ${fact("Correctness", tolerance(spec.tolerance, legacy))}
  ${spec.worldSize === undefined ? null : fact("World size", worldSize(spec))}
  ${fact("Time limits", limits(spec.timeoutsS, !legacy && spec.worldSize === undefined))}`;
}

/** Renders the facts of an imported problem; the other fields of its version are placeholders. */
function importedFacts(problem: ProblemDetail, now: Date): Html {
  const { version, versionSince } = problem;
  return html`<dl class="facts" aria-label="Facts">
    ${fact("Competition", competition(problem, now))} ${fact("Ranked runs", acceptance(problem, now))}
    ${fact("Judged by", html`${IMPORTED} the platform it was imported from; its cases and limits are not available`)}
    ${fact("Version", html`<code title="${version}">${version.slice(0, 12)}</code>, imported ${moment(versionSince)}`)}
  </dl>`;
}

function competition({ competition }: ProblemDetail, now: Date): Html | string {
  if (competition === null) return "None: open for practice";
  return html`<a href="/competitions/${competition.name}">${competition.title}</a><br />${dates(competition, now)}`;
}

/** Describes when ranked submissions are accepted. */
function acceptance({ opensAt, closesAt, openTargets }: ProblemDetail, now: Date): Html | string {
  if (openTargets.length === 0) return "no longer accepted";
  if (opensAt !== null && now.getTime() < Date.parse(opensAt)) return html`accepted from ${momentInBoth(opensAt)}`;
  if (closesAt === null) return "accepted at any time";
  const isOver = now.getTime() >= Date.parse(closesAt);
  return isOver ? html`closed since ${momentInBoth(closesAt)}` : html`accepted until ${momentInBoth(closesAt)}`;
}

function languages(spec: ProblemDetail["spec"]): Html {
  const accepted = LANGUAGES.filter((language) => spec.languages[language] !== undefined);
  return html`${accepted.map(
    (language, at) =>
      html`${at === 0 ? "" : ", "}${LANGUAGE_NAMES[language]} <small><code>${EXTENSIONS[language][0]}</code></small>`,
  )}`;
}

/** Describes the number of distributed ranks: `8 ranks per case, each in its own worker; on cpu: 2`. */
function worldSize(spec: ProblemDetail["spec"]): string {
  const others = Object.entries(spec.targets).flatMap(([target, { worldSize }]) =>
    worldSize === undefined ? [] : [`; on ${target}: ${worldSize}`],
  );
  return `${spec.worldSize} ranks per case, each in its own worker${others.join("")}`;
}

function tolerance(tolerance: ProblemDetail["spec"]["tolerance"], legacy: boolean): Html | string {
  if (legacy) return "decided by the problem’s own harness";
  if (tolerance === null) return "decided by the problem’s own check";
  const { atol, rtol, reason } = tolerance;
  if (atol === 0 && rtol === 0) return html`exact match <small class="block">${reason}</small>`;
  return html`<code>|got − expected| ≤ ${atol} + ${rtol} · |expected|</code> <small class="block">${reason}</small>`;
}

function limits(timeoutsS: ProblemDetail["spec"]["timeoutsS"], hasProfiles: boolean): Html {
  const { prepare, test, benchmark, ranked, profile } = timeoutsS;
  const all = { prepare, test, benchmark, ranked, ...(hasProfiles && { profile }) };
  return html`${Object.entries(all).map(
    ([stage, seconds], at) => html`${at === 0 ? "" : ", "}<span class="nowrap">${stage} ${seconds} s</span>`,
  )}`;
}

function labelled({ tags = [], difficulty }: ProblemSpec): Html | null {
  const shown = labels(tags, difficulty ?? null);
  return shown === null ? null : fact(tags.length === 0 ? "Difficulty" : "Tags", shown);
}
