/** A pull request from the label to the published entry, against a fake GitHub server. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { kernel } from "@kernelbot/testing/kernelbench.ts";
import { openPullScene, submissionText, type PullScene } from "./testing/pull-scene.ts";
import { evaluateEntries, stopEntry } from "@kernelbot/server/src/kernelbench/evaluate.ts";
import { accountIdentity } from "./evaluation.ts";
import { PROGRESS_MS } from "./process.ts";

const HOUR_MS = 3_600_000;
const PATH = "submissions/model.json";
const oneKernel = (number: number) => ({ level_1_problem_1_sample_0: kernel(number) });
const FILES = { [PATH]: submissionText() };

let scene: PullScene;
beforeAll(async () => {
  scene = await openPullScene();
});
beforeEach(() => scene.reset());
afterAll(() => scene[Symbol.asyncDispose]());

const ids = (rows: Record<string, unknown>[]): unknown[] => rows.map(({ id }) => id);
const published = async () =>
  ids(await scene.testServer.database.sql`select id from kernelbench_entry where published_at is not null`);
const stopped = async () =>
  ids(await scene.testServer.database.sql`select id from kernelbench_entry where stopped_at is not null`);

/** Advances the clock past the progress interval. */
const later = () => scene.work(PROGRESS_MS + 1);

test("a labelled pull request is evaluated, scored in one comment, and published by its merge", async () => {
  const { github } = scene;
  const pull = github.open({ ...FILES, "README.md": "Kernels, and mine" });
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toContain("Evaluating: 0 of 3 kernels judged, 0 running, 3 queued, 0 not yet queued.");
  expect(scene.comment(pull)).toContain("Other changed files, not read: 1.");
  expect(scene.status(pull)).toBe("pending: Evaluating kernels");

  await scene.judge();
  await later();
  expect(scene.status(pull)).toBe("success: Correct: 2/3");
  expect(scene.comment(pull)).toMatch(/\| +\| All +\| Level 1 \| Level 2 \|/);
  for (const line of [
    "| Correct | 2/3 | 1/2 | 1/1 |",
    "| Fast@1: ≥ 1 (> 1) | 2/3 (2/3) | 1/2 (1/2) | 1/1 (1/1) |",
    "| Fast@2: ≥ 2 (> 2) | 2/3 (0/3) | 1/2 (0/2) | 1/1 (0/1) |",
    "| Compiled | 2/3 | 1/2 | 1/1 |",
    "| Geometric mean speedup, correct kernels | 2.000× of 2 | 2.000× of 1 | 2.000× of 1 |",
    "| Robust geometric mean, all kernels (unsolved: 1×) | 1.587× of 3 | 1.414× of 2 | 2.000× of 1 |",
    "[Speedups over the compiled model](https://kernels.example.org/kernelbench/entries/1?baseline=compiled).",
    "Will be published when this file is merged unchanged: [entry 1](https://kernels.example.org/kernelbench/entries/1)",
  ]) {
    expect(scene.comment(pull)).toContain(line);
  }

  await scene.deliver(pull.merge());
  expect(scene.comment(pull)).toContain("**Published**: [entry 1](https://kernels.example.org/kernelbench/entries/1)");
  expect(await published()).toEqual([1]);
  expect(pull.comments).toHaveLength(1);
  expect(github.statuses.map(({ state }) => state)).toEqual(["pending", "success"]);
});

test("the origin of an entry is stored", async () => {
  const pull = scene.github.open(FILES, "ann");
  await scene.deliver(pull.label("mia"));
  const kept = await scene.testServer.database.sql`
    select p.repository, p.number, p.author, p.labelled_by, e.head_sha, e.path
    from kernelbench_pull_entry e join kernelbench_pull p on p.id = e.pull_id where e.entry_id = 1`;
  expect(kept).toEqual([
    {
      repository: "lab/kernels",
      number: pull.number,
      author: "ann",
      labelled_by: "mia",
      head_sha: pull.head,
      path: PATH,
    },
  ]);
});

test("without the label evaluate nothing happens", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.push(FILES));
  await scene.deliver(pull.label("mia", "bug"));
  await scene.deliver(pull.close());
  expect(scene.github.requests).toEqual([]);
});

test("a label added without write access starts nothing, and the comment says why", async () => {
  const pull = scene.github.open(FILES);
  for (const person of ["tim", "stranger"]) {
    await scene.deliver(pull.label(person));
    expect(scene.comment(pull)).toContain(`\`${person}\` added the label without write access.`);
  }
  expect(await scene.models()).toEqual([]);
  expect(scene.status(pull)).toBe("pending: Waiting for a maintainer to add the label evaluate");
  await scene.deliver(pull.label("root"));
  expect(await scene.models()).toHaveLength(1);
});

test("a label that was removed before it was processed starts nothing", async () => {
  const pull = scene.github.open(FILES);
  const delivery = pull.label("mia");
  pull.labels.clear();
  await scene.deliver(delivery);
  expect(await scene.models()).toEqual([]);
});

test("the comment lists the errors of all files, and the status fails", async () => {
  const bad = submissionText("M", { level_9: "x", level_10: "x" });
  const pull = scene.github.open({ "submissions/a.json": bad, "submissions/b.json": "{", [PATH]: submissionText() });
  await scene.deliver(pull.label("mia"));
  const comment = scene.comment(pull);
  expect(comment).toMatch(/`submissions\/a\.json` was not evaluated:\n\n- `level_9`: `this is not a valid kernel key/);
  expect(comment).toContain("- `level_10`: `this is not a valid kernel key");
  expect(comment).toMatch(/`submissions\/b\.json` was not evaluated:\n\n- `this is not valid JSON: line 1, column 2/);
  expect(await scene.models()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: The submission has errors; see the comment");

  await scene.deliver(pull.push(FILES));
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).not.toContain("not evaluated");
  expect(await scene.models()).toHaveLength(1);
});

test("the comment contains the error message when an entry is refused", async () => {
  scene.options.target = "MI300";
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toContain('- `the suite tiny has no target "MI300"; available: cpu, H100`');
});

test.each([
  ["a subfolder", { "submissions/deep/model.json": "{}" }, "rename the file to submissions/NAME.json"],
  ["a name with shell syntax", { "submissions/$(reboot).json": "{}" }, "rename the file to submissions/NAME.json"],
  ["a hidden file", { "submissions/.json": "{}" }, "rename the file to submissions/NAME.json"],
  ["a name in other scripts", { "submissions/mоdel.json": "{}" }, "rename the file to submissions/NAME.json"],
  ["a symbolic link", { [PATH]: { link: "/etc/passwd" } }, "not a regular file at this commit"],
  ["a file in UTF-16", { [PATH]: Buffer.from([0xff, 0xfe, 0x00]) }, "the file is UTF-16 text"],
  [
    "too large a file",
    { [PATH]: Buffer.alloc(32_000_001, " ") },
    "the file has 32,000,001 bytes; the limit is 32,000,000",
  ],
  [
    "no submission file",
    { "kernels/model.json": "{}" },
    "the pull request adds or changes no file submissions/NAME.json",
  ],
  [
    "too many",
    Object.fromEntries(Array.from("abcdef", (n) => [`submissions/${n}.json`, "{}"])),
    "the pull request changes 6 submission files",
  ],
])("%s is refused", async (_, files, why) => {
  const pull = scene.github.open(files);
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toContain(why);
  expect(scene.status(pull)).toBe("failure: The submission has errors; see the comment");
  expect(await scene.models()).toEqual([]);
});

test("a file with a byte order mark is evaluated", async () => {
  const pull = scene.github.open({ [PATH]: `\ufeff${submissionText()}` });
  await scene.deliver(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model"]);
});

test("submission files are found among hundreds of changes, and deleted files are ignored", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`a/${n}.txt`, String(n)]));
  const pull = scene.github.open({ ...many, ...FILES, "submissions/old.json": submissionText("Other") });
  await scene.deliver(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model", "Other"]);
  expect(scene.github.requests.filter((request) => request.endsWith("/files"))).toHaveLength(3);
});

test("untrusted text cannot mention users or contain Markdown or HTML", async () => {
  const name = "`@mia` <img src=x> | a\n\n# [b](https://evil.example) \u202e --> @lab/all";
  const pull = scene.github.open({ [PATH]: submissionText(name) });
  await scene.deliver(pull.label("mia"));
  // Outside code spans nothing of the name is left.
  expect(scene.comment(pull)).toContain("`'@mia' <img src=x> ¦ a # [b](https://evil.example) --> @lab/all`");
  expect(scene.comment(pull).replace(/`[^`\n]*`/g, "")).not.toMatch(/@|<img|evil/);
});

test("of thousands of errors, a comment lists as many as fit and the number of the rest", async () => {
  const kernels = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`level_${n}_x`.padEnd(80, "x"), ""]));
  const files = Array.from("abcde", (name) => [`submissions/${name}.json`, submissionText("M", kernels)]);
  const pull = scene.github.open(Object.fromEntries(files) as Record<string, string>);
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull).length).toBeLessThan(65_536);
  expect(scene.comment(pull)).toMatch(/…and \d{3,4} more; `kernelbot kernelbench validate FILE` shows all of them\./);
});

test("a new head removes the label, stops the evaluation and waits for the label", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  const old = pull.head;
  await scene.deliver(pull.push({ [PATH]: submissionText("Better") }));
  expect([...pull.labels]).toEqual([]);
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain(`The label was added for \`${old.slice(0, 10)}\``);
  expect(scene.comment(pull)).toContain("Evaluation stopped: 0 of 3 kernels judged.");
  expect(scene.status(pull)).toBe("pending: Waiting for a maintainer to add the label evaluate");

  await scene.deliver(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model", "Better"]);
  expect(scene.comment(pull)).not.toContain("A model");
});

test("a head that was pushed before the label was processed is not evaluated, whatever the order of events", async () => {
  const pull = scene.github.open(FILES);
  const label = pull.label("mia");
  const push = pull.push({ [PATH]: submissionText("Sneaked in") });
  await scene.send(label);
  await scene.deliver(push);
  expect(await scene.models()).toEqual([]);
  expect([...pull.labels]).toEqual([]);
  // The label is added again, and only then an old delivery is repeated.
  await scene.deliver(pull.label("mia"));
  await scene.deliver({ ...label, headers: { ...label.headers, "x-github-delivery": "another" } });
  expect([...pull.labels]).toEqual(["evaluate"]);
  expect(await stopped()).toEqual([]);
});

test("files that were merged with other content are not published", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.judge();
  await later();
  await scene.deliver(pull.merge({ [PATH]: submissionText("Edited while merging") }));
  expect(scene.comment(pull)).toContain(`Not published, because the merged content was not evaluated: \`${PATH}\`.`);
  expect(await published()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: The merged files were not evaluated");
});

test("later commits that leave the file unchanged do not prevent publication", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.judge();
  await later();
  await scene.deliver(pull.push({ ...FILES, "README.md": "Merged with the main branch" }));
  await scene.deliver(pull.merge());
  expect(scene.comment(pull)).toContain("**Published**");
});

test("a pull request merged during its evaluation is published at the end", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.deliver(pull.merge());
  expect([...(await stopped()), ...(await published())]).toEqual([]);
  await scene.judge();
  await later();
  expect(scene.comment(pull)).toContain("**Published**");
});

test("closing stops the evaluation, and reopening waits for the label", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.deliver(pull.close());
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("closed without being merged");
  await scene.deliver(pull.reopen());
  expect([...pull.labels]).toEqual([]);
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toContain("0 running, 3 queued, 0 not yet queued");
});

test("infrastructure errors fail the status, and the label evaluates those kernels again", async () => {
  const pull = scene.github.open({ [PATH]: submissionText("A model", oneKernel(1)) });
  await scene.deliver(pull.label("mia"));
  await scene.lose();
  await later();
  expect(scene.status(pull)).toBe("error: Infrastructure errors: 1 kernels not evaluated; add the label again");
  expect(scene.comment(pull)).toContain("Infrastructure errors: 1 of 1 kernels");
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toContain("0 of 1 kernels judged, 0 running, 1 queued");
});

test("the comment follows kernels that are evaluated again on the entry's page", async () => {
  const pull = scene.github.open({ [PATH]: submissionText("A model", oneKernel(1)) });
  await scene.deliver(pull.label("mia"));
  await scene.lose();
  await later();
  await evaluateEntries(scene.testServer.database);
  await scene.judge();
  await later();
  expect(scene.status(pull)).toBe("success: Correct: 1/3");
});

test("removing the label stops the evaluation, and adding it again resumes it", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.deliver(pull.unlabel("tim"));
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("`tim` removed the label, so the evaluation was stopped.");
  expect(scene.comment(pull)).toContain("Evaluation stopped: 0 of 3 kernels judged.");
  expect(scene.status(pull)).toBe("pending: Waiting for a maintainer to add the label evaluate");
  await scene.deliver(pull.label("mia"));
  expect(await stopped()).toEqual([]);
  expect(scene.comment(pull)).toContain("Evaluating: 0 of 3 kernels judged");
});

test("a label that was removed and added again stops nothing", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  const off = pull.unlabel("mia");
  await scene.send(pull.label("mia"));
  await scene.deliver(off);
  expect(await stopped()).toEqual([]);
});

test("removing the label after the merge stops the evaluation, and nothing is published", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.deliver(pull.merge());
  await scene.deliver(pull.unlabel("mia"));
  await later();
  expect([...(await stopped()), ...(await published())]).toEqual([1]);
  expect(scene.comment(pull)).toContain("Not published while the evaluation is stopped: [entry 1]");
  expect(scene.status(pull)).toBe("failure: The merged files were not evaluated");
});

test("an entry that was stopped on its page is not published by the merge", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  const { database } = scene.testServer;
  await stopEntry(database, await accountIdentity(database, scene.options.account), 1);
  await later();
  expect(scene.comment(pull)).toContain("Evaluation stopped: 0 of 3 kernels judged.");
  expect(scene.comment(pull)).toContain("Not published while the evaluation is stopped: [entry 1]");
  expect(scene.comment(pull)).not.toContain("Will be published when");
  expect(scene.status(pull)).toBe("pending: Waiting for a maintainer to add the label evaluate");
  await scene.deliver(pull.merge());
  expect(scene.comment(pull)).toContain(
    `Not published, because the evaluation was not complete at the merge: \`${PATH}\`.`,
  );
  expect(await published()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: The merged files were not evaluated");
});

const FAILED = "error: KernelBot cannot continue; see the comment";
const notFound = { status: 404, body: { message: "Not Found" } };
const forbidden = { status: 403, body: { message: "Resource not accessible by integration" } };

test.each([
  ["the labelled commit is missing", "/git/trees/", notFound, "404 Not Found"],
  ["a file is missing", "/git/blobs/", notFound, "404 Not Found"],
  ["the App may not read the contents", "/git/trees/", forbidden, "403 Resource not accessible by integration"],
  ["the App may not read permissions", "/collaborators/", forbidden, "403 Resource not accessible by integration"],
  ["the diff is too large", "/files", { status: 422, body: { message: "diff too large" } }, "422 diff too large"],
  ["the repository is gone", "/files", { status: 410, body: { message: "Gone" } }, "410 Gone"],
])(
  "%s: comment and status report the failure immediately, and adding the label again retries",
  async (_, where, trouble, why) => {
    const pull = scene.github.open(FILES);
    scene.github.trouble = (request) => (request.startsWith("GET") && request.includes(where) ? trouble : undefined);
    await scene.deliver(pull.label("mia"));
    expect(scene.comment(pull)).toContain(why);
    expect(scene.status(pull)).toBe(FAILED);
    const requestsBefore = scene.github.requests.length;
    await scene.work(25 * HOUR_MS);
    expect(scene.github.requests).toHaveLength(requestsBefore);
    scene.github.trouble = () => undefined;
    await scene.deliver(pull.label("mia"));
    expect(await scene.models()).toEqual(["A model"]);
    expect(scene.comment(pull)).not.toContain("cannot continue");
  },
);

test("a merge that cannot be read is reported, and GitHub's redelivery publishes it", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  await scene.judge();
  await later();
  scene.github.trouble = (request) => (request.includes("/git/trees/") ? notFound : undefined);
  const merge = pull.merge();
  await scene.deliver(merge);
  expect(scene.comment(pull)).toContain("404 Not Found");
  expect(scene.status(pull)).toBe(FAILED);
  scene.github.trouble = () => undefined;
  await scene.deliver(merge);
  expect(await published()).toEqual([1]);
});

test("a missing suite is reported on the pull request", async () => {
  scene.options.suite = "gone";
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  scene.options.suite = "tiny";
  expect(scene.comment(pull)).toContain('suite "gone" does not exist');
  expect(scene.status(pull)).toBe("failure: The submission has errors; see the comment");
});

test("a rejected comment is reported in the status, and a rejected status does not prevent the comment", async () => {
  const pull = scene.github.open({ [PATH]: "{" });
  scene.github.trouble = (request) => (request.includes("/comments") ? forbidden : undefined);
  await scene.deliver(pull.label("mia"));
  expect(scene.status(pull)).toBe("failure: The submission has errors; GitHub rejected the comment that lists them");
  const other = scene.github.open({ [PATH]: "{" });
  scene.github.trouble = (request) => (request.includes("/statuses/") ? forbidden : undefined);
  await scene.deliver(other.label("mia"));
  expect(scene.comment(other)).toContain("`this is not valid JSON");
  const requestsBefore = scene.github.requests.length;
  await scene.work(25 * HOUR_MS);
  expect(scene.github.requests).toHaveLength(requestsBefore);
});

test("a new head stops the evaluation even if the App may not remove the label", async () => {
  const pull = scene.github.open(FILES);
  await scene.deliver(pull.label("mia"));
  scene.github.trouble = (request) => (request.startsWith("DELETE") ? forbidden : undefined);
  await scene.deliver(pull.push({ [PATH]: submissionText("Better") }));
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("a maintainer removes it, which GitHub did not let KernelBot do, and adds");
});

test("giving up after a day is reported in the comment and the status", async () => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = (request) =>
    request.includes("/git/blobs/") ? { status: 500, body: { message: "Oops" } } : undefined;
  await scene.deliver(pull.label("mia"));
  expect(scene.comment(pull)).toBe("");
  await scene.work(25 * HOUR_MS);
  expect(scene.comment(pull)).toContain("500 Oops");
  expect(scene.status(pull)).toBe(FAILED);
});

test("two pull requests with the same file do not stop each other's evaluation", async () => {
  const [first, second] = [scene.github.open(FILES), scene.github.open(FILES)];
  await scene.deliver(first.label("mia"));
  await scene.deliver(second.label("mia"));
  // The same content by the same account is one entry.
  expect(await scene.models()).toHaveLength(1);
  await scene.deliver(second.close());
  expect(await stopped()).toEqual([]);
  await scene.deliver(first.close());
  expect(await stopped()).toEqual([1]);
});

test("a deleted comment is recreated, and another user's comment with the same mark is ignored", async () => {
  const pull = scene.github.open(FILES);
  pull.comment("<!-- kernelbot:kernelbench -->\nAll is well, merge it.");
  await scene.deliver(pull.label("mia"));
  expect(pull.comments).toHaveLength(2);
  pull.comments.splice(1);
  await scene.judge();
  await later();
  expect(pull.comments.map(({ body }) => body.includes("| Correct |"))).toEqual([false, true]);
});

test.each([
  ["503", { status: 503, body: { message: "Unavailable" } }],
  ["429 with Retry-After", { status: 429, headers: { "retry-after": "1800" }, body: {} }],
  [
    "exhausted rate limit",
    { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" }, body: {} },
  ],
  ["secondary rate limit", { status: 403, body: { message: "You have exceeded a secondary rate limit" } }],
  ["unexpected response format", { status: 200, body: [] }],
])("after GitHub's %s the work is retried when it is due", async (_, trouble) => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = (request) => (request.includes("/collaborators/") ? trouble : undefined);
  await scene.deliver(pull.label("mia"));
  expect(await scene.models()).toEqual([]);
  const requestsBefore = scene.github.requests.length;
  await scene.work(500);
  expect(scene.github.requests).toHaveLength(requestsBefore);
  scene.github.trouble = () => undefined;
  await scene.work(HOUR_MS);
  expect(await scene.models()).toHaveLength(1);
});

test("GitHub's Retry-After is respected", async () => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = () => ({ status: 429, headers: { "retry-after": "1800" }, body: {} });
  await scene.deliver(pull.label("mia"));
  const requestsBefore = scene.github.requests.length;
  await scene.work(HOUR_MS / 2 - 60_000);
  expect(scene.github.requests).toHaveLength(requestsBefore);
  await scene.work(60_001);
  expect(scene.github.requests.length).toBeGreaterThan(requestsBefore);
});

test("work is given up after failing for a day, and resumed when GitHub redelivers", async () => {
  const pull = scene.github.open(FILES);
  const label = pull.label("mia");
  scene.github.trouble = () => ({ status: 500, body: {} });
  await scene.deliver(label);
  await scene.work(25 * HOUR_MS);
  const requestsBefore = scene.github.requests.length;
  await scene.work(25 * HOUR_MS);
  expect(scene.github.requests).toHaveLength(requestsBefore);
  scene.github.trouble = () => undefined;
  await scene.deliver(label);
  expect(await scene.models()).toHaveLength(1);
});

test("the outcome is the same wherever the connection breaks", async () => {
  const { github } = scene;
  /** Evaluates and merges a pull request. @returns the number of requests to GitHub. */
  async function wholeWay(number: number): Promise<number> {
    const before = github.requests.length;
    const pull = github.open({ [PATH]: submissionText("A model", oneKernel(number)) });
    await scene.deliver(pull.label("mia"));
    await later();
    await scene.judge();
    await later();
    await later();
    await scene.deliver(pull.merge());
    await later();
    expect(scene.comment(pull)).toContain("**Published**");
    expect(pull.comments).toHaveLength(1);
    return github.requests.length - before;
  }
  const steps = await wholeWay(0);
  for (let step = 1; step <= steps; step += 1) {
    const breakAt = github.requests.length + step;
    github.breaks = () => github.requests.length === breakAt;
    await wholeWay(step);
    expect(github.requests.length).toBeGreaterThan(breakAt);
  }
  expect(await published()).toHaveLength(1 + steps);
});
