/** A pull request from the label to the published entry, against a fake GitHub server. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { kernel } from "@kernelbot/testing/kernelbench.ts";
import { openPullScene, submissionText, type PullScene } from "@kernelbot/testing/pull-requests.ts";
import { evaluateEntries, stopEntry } from "../../../kernelbench/evaluate.ts";
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

test("a labelled pull request is evaluated, its scores stand in one comment, and its merge publishes them", async () => {
  const { github } = scene;
  const pull = github.open({ ...FILES, "README.md": "Kernels, and mine" });
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain("Under evaluation: 0 of 3 kernels judged, 0 running, 3 queued, 0 waiting.");
  expect(scene.comment(pull)).toContain("Other files that it changes: 1. They were not looked at.");
  expect(scene.status(pull)).toBe("pending: Its kernels are being evaluated");

  await scene.judge();
  await later();
  expect(scene.status(pull)).toBe("success: Correct: 2/3");
  expect(scene.comment(pull)).toMatch(/\| +\| All +\| Level 1 \| Level 2 \|/);
  for (const line of [
    "| Correct | 2/3 | 1/2 | 1/1 |",
    "| Fast@1: ≥ 1 (> 1) | 2/3 (2/3) | 1/2 (1/2) | 1/1 (1/1) |",
    "| Fast@2: ≥ 2 (> 2) | 2/3 (0/3) | 1/2 (0/2) | 1/1 (0/1) |",
    "| Compiled | 2/3 | 1/2 | 1/1 |",
    "| GeoMean speed-up of the correct | 2.000× of 2 | 2.000× of 1 | 2.000× of 1 |",
    "| Robust GeoMean of all, unsolved as 1× | 1.587× of 3 | 1.414× of 2 | 2.000× of 1 |",
    "[Against the compiled model](https://kernels.example.org/kernelbench/entries/1?baseline=compiled), timed beside it.",
    "It is published when it is merged with this content: [entry 1](https://kernels.example.org/kernelbench/entries/1)",
  ]) {
    expect(scene.comment(pull)).toContain(line);
  }

  await scene.told(pull.merge());
  expect(scene.comment(pull)).toContain("**Published**: [entry 1](https://kernels.example.org/kernelbench/entries/1)");
  expect(await published()).toEqual([1]);
  expect(pull.comments).toHaveLength(1);
  expect(github.statuses.map(({ state }) => state)).toEqual(["pending", "success"]);
});

test("where an entry came from is kept", async () => {
  const pull = scene.github.open(FILES, "ann");
  await scene.told(pull.label("mia"));
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

test("without the label nothing is looked at, and another label is none", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.push(FILES));
  await scene.told(pull.label("mia", "bug"));
  await scene.told(pull.close());
  expect(scene.github.asked).toEqual([]);
});

test("a label by somebody who may not write is told so, and starts nothing", async () => {
  const pull = scene.github.open(FILES);
  for (const person of ["tim", "stranger"]) {
    await scene.told(pull.label(person));
    expect(scene.comment(pull)).toContain(`\`${person}\` gave the label, and may not.`);
  }
  expect(await scene.models()).toEqual([]);
  expect(scene.status(pull)).toBe("pending: Waits for a maintainer to give the label evaluate");
  await scene.told(pull.label("root"));
  expect(await scene.models()).toHaveLength(1);
});

test("a label that was taken off before it was worked off asks for nothing", async () => {
  const pull = scene.github.open(FILES);
  const delivery = pull.label("mia");
  pull.labels.clear();
  await scene.told(delivery);
  expect(await scene.models()).toEqual([]);
});

test("all that is wrong with any file stands in the comment, and the status fails", async () => {
  const bad = submissionText("M", { level_9: "x", level_10: "x" });
  const pull = scene.github.open({ "submissions/a.json": bad, "submissions/b.json": "{", [PATH]: submissionText() });
  await scene.told(pull.label("mia"));
  const comment = scene.comment(pull);
  expect(comment).toMatch(/`submissions\/a\.json` is not evaluated:\n\n- `level_9`: `this is not a valid kernel key/);
  expect(comment).toContain("- `level_10`: `this is not a valid kernel key");
  expect(comment).toMatch(/`submissions\/b\.json` is not evaluated:\n\n- `this is not valid JSON: line 1, column 2/);
  expect(await scene.models()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: The submission has faults; the comment names them");

  await scene.told(pull.push(FILES));
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).not.toContain("not evaluated");
  expect(await scene.models()).toHaveLength(1);
});

test("what an entry cannot be made for is told in the words of the refusal", async () => {
  scene.github.options.target = "MI300";
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain('- `the suite tiny has no target "MI300"; it has cpu, H100`');
});

test.each([
  ["a folder below", { "submissions/deep/model.json": "{}" }, "name it submissions/NAME.json"],
  ["a name for a shell", { "submissions/$(reboot).json": "{}" }, "name it submissions/NAME.json"],
  ["a hidden file", { "submissions/.json": "{}" }, "name it submissions/NAME.json"],
  ["a name in other letters", { "submissions/mоdel.json": "{}" }, "name it submissions/NAME.json"],
  ["a symbolic link", { [PATH]: { link: "/etc/passwd" } }, "it is no ordinary file at this commit"],
  ["a file of other bytes than UTF-8", { [PATH]: Buffer.from([0xff, 0xfe, 0x00]) }, "it is not text in UTF-8"],
  ["too large a file", { [PATH]: Buffer.alloc(32_000_001, " ") }, "it has 32,000,001 bytes; 32,000,000 are the most"],
  ["no submission file", { "kernels/model.json": "{}" }, "there is no file submissions/NAME.json"],
  [
    "too many",
    Object.fromEntries(Array.from("abcdef", (n) => [`submissions/${n}.json`, "{}"])),
    "it changes 6 submission files",
  ],
])("%s is refused", async (_, files, why) => {
  const pull = scene.github.open(files);
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain(why);
  expect(scene.status(pull)).toBe("failure: The submission has faults; the comment names them");
  expect(await scene.models()).toEqual([]);
});

test("a file that begins with a byte order mark is evaluated", async () => {
  const pull = scene.github.open({ [PATH]: `\ufeff${submissionText()}` });
  await scene.told(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model"]);
});

test("submission files are found behind hundreds of others, and one that is deleted is none", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`a/${n}.txt`, String(n)]));
  const pull = scene.github.open({ ...many, ...FILES, "submissions/old.json": submissionText("Other") });
  await scene.told(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model", "Other"]);
  expect(scene.github.asked.filter((asked) => asked.endsWith("/files"))).toHaveLength(3);
});

test("strangers' text pings nobody, and is neither Markdown nor HTML", async () => {
  const name = "`@mia` <img src=x> | a\n\n# [b](https://evil.example) \u202e --> @lab/all";
  const pull = scene.github.open({ [PATH]: submissionText(name) });
  await scene.told(pull.label("mia"));
  // Outside code spans nothing of the name is left.
  expect(scene.comment(pull)).toContain("`'@mia' <img src=x> ¦ a # [b](https://evil.example) --> @lab/all`");
  expect(scene.comment(pull).replace(/`[^`\n]*`/g, "")).not.toMatch(/@|<img|evil/);
});

test("thousands of faults are as many as a comment holds, and how many more", async () => {
  const kernels = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`level_${n}_x`.padEnd(80, "x"), ""]));
  const files = Array.from("abcde", (name) => [`submissions/${name}.json`, submissionText("M", kernels)]);
  const pull = scene.github.open(Object.fromEntries(files) as Record<string, string>);
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull).length).toBeLessThan(65_536);
  expect(scene.comment(pull)).toMatch(/…and \d{3,4} more; `kernelbot kernelbench validate FILE` shows all of them\./);
});

test("a new head takes the label off, stops what ran, and waits for the label anew", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  const old = pull.head;
  await scene.told(pull.push({ [PATH]: submissionText("Better") }));
  expect([...pull.labels]).toEqual([]);
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain(`The label was given to \`${old.slice(0, 10)}\``);
  expect(scene.comment(pull)).toContain("Its evaluation was stopped with 0 of 3 kernels judged.");
  expect(scene.status(pull)).toBe("pending: Waits for a maintainer to give the label evaluate");

  await scene.told(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model", "Better"]);
  expect(scene.comment(pull)).not.toContain("A model");
});

test("a head that came before the label was worked off is not evaluated, in whatever order GitHub tells", async () => {
  const pull = scene.github.open(FILES);
  const label = pull.label("mia");
  const push = pull.push({ [PATH]: submissionText("Sneaked in") });
  await scene.tell(label);
  await scene.told(push);
  expect(await scene.models()).toEqual([]);
  expect([...pull.labels]).toEqual([]);
  // The label is given again, and only then an old delivery is repeated.
  await scene.told(pull.label("mia"));
  await scene.told({ ...label, headers: { ...label.headers, "x-github-delivery": "another" } });
  expect([...pull.labels]).toEqual(["evaluate"]);
  expect(await stopped()).toEqual([]);
});

test("what was merged with another content is not published", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.judge();
  await later();
  await scene.told(pull.merge({ [PATH]: submissionText("Edited while merging") }));
  expect(scene.comment(pull)).toContain(`What was merged was not evaluated, so that it is not published: \`${PATH}\`.`);
  expect(await published()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: What was merged was not evaluated");
});

test("commits in between do not matter where the file stayed the same", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.judge();
  await later();
  await scene.told(pull.push({ ...FILES, "README.md": "Merged with the main branch" }));
  await scene.told(pull.merge());
  expect(scene.comment(pull)).toContain("**Published**");
});

test("merged before the end, it is published at the end", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.told(pull.merge());
  expect([...(await stopped()), ...(await published())]).toEqual([]);
  await scene.judge();
  await later();
  expect(scene.comment(pull)).toContain("**Published**");
});

test("closed without a merge, it is stopped; opened again, it waits for the label", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.told(pull.close());
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("closed without being merged");
  await scene.told(pull.reopen());
  expect([...pull.labels]).toEqual([]);
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain("0 running, 3 queued, 0 waiting");
});

test("kernels that were lost are an error, and the label has them evaluated again", async () => {
  const pull = scene.github.open({ [PATH]: submissionText("A model", oneKernel(1)) });
  await scene.told(pull.label("mia"));
  await scene.lose();
  await later();
  expect(scene.status(pull)).toBe("error: Kernels lost to the infrastructure: 1; give the label again");
  expect(scene.comment(pull)).toContain("Lost to the infrastructure: 1 of 1 kernels");
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain("0 of 1 kernels judged, 0 running, 1 queued");
});

test("what was lost and is evaluated again by itself is told of too", async () => {
  const pull = scene.github.open({ [PATH]: submissionText("A model", oneKernel(1)) });
  await scene.told(pull.label("mia"));
  await scene.lose();
  await later();
  await evaluateEntries(scene.testServer.database);
  await scene.judge();
  await later();
  expect(scene.status(pull)).toBe("success: Correct: 1/3");
});

test("the label taken off by hand stops the evaluation, and given again it resumes it", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.told(pull.unlabel("tim"));
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("`tim` took the label off, so the evaluation was stopped.");
  expect(scene.comment(pull)).toContain("Its evaluation was stopped with 0 of 3 kernels judged.");
  expect(scene.status(pull)).toBe("pending: Waits for a maintainer to give the label evaluate");
  await scene.told(pull.label("mia"));
  expect(await stopped()).toEqual([]);
  expect(scene.comment(pull)).toContain("Under evaluation: 0 of 3 kernels judged");
});

test("a label that was taken off and is there again stops nothing", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  const off = pull.unlabel("mia");
  await scene.tell(pull.label("mia"));
  await scene.told(off);
  expect(await stopped()).toEqual([]);
});

test("the label taken off after the merge stops the evaluation, and nothing is published", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.told(pull.merge());
  await scene.told(pull.unlabel("mia"));
  await later();
  expect([...(await stopped()), ...(await published())]).toEqual([1]);
  expect(scene.comment(pull)).toContain("It is not published while its evaluation is stopped: [entry 1]");
  expect(scene.status(pull)).toBe("failure: What was merged was not evaluated");
});

test("an entry that was stopped on its page is not promised to be published, and its merge says that it is not", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  const { github, testServer } = scene;
  const { database } = testServer;
  await stopEntry(database, await accountIdentity(database, github.options.account), 1);
  await later();
  expect(scene.comment(pull)).toContain("Its evaluation was stopped with 0 of 3 kernels judged.");
  expect(scene.comment(pull)).toContain("It is not published while its evaluation is stopped: [entry 1]");
  expect(scene.comment(pull)).not.toContain("It is published when");
  expect(scene.status(pull)).toBe("pending: Waits for a maintainer to give the label evaluate");
  await scene.told(pull.merge());
  expect(scene.comment(pull)).toContain(
    `Not published, since its evaluation was not complete at the merge: \`${PATH}\`.`,
  );
  expect(await published()).toEqual([]);
  expect(scene.status(pull)).toBe("failure: What was merged was not evaluated");
});

const FAILED = "error: KernelBot cannot continue; the comment says why";
const notFound = { status: 404, body: { message: "Not Found" } };
const forbidden = { status: 403, body: { message: "Resource not accessible by integration" } };

test.each([
  ["the labelled commit is gone", "/git/trees/", notFound, "404 Not Found"],
  ["a file is gone", "/git/blobs/", notFound, "404 Not Found"],
  ["the App may not read the contents", "/git/trees/", forbidden, "403 Resource not accessible by integration"],
  ["the App may not read who may write", "/collaborators/", forbidden, "403 Resource not accessible by integration"],
  ["the difference is too large", "/files", { status: 422, body: { message: "diff too large" } }, "422 diff too large"],
  ["the address has moved", "/files", { status: 410, body: { message: "Gone" } }, "410 Gone"],
])("%s: the comment and the status say so at once, and the label is taken anew", async (_, where, trouble, why) => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = (asked) => (asked.startsWith("GET") && asked.includes(where) ? trouble : undefined);
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toContain(why);
  expect(scene.status(pull)).toBe(FAILED);
  const asked = scene.github.asked.length;
  await scene.work(25 * HOUR_MS);
  expect(scene.github.asked).toHaveLength(asked);
  scene.github.trouble = () => undefined;
  await scene.told(pull.label("mia"));
  expect(await scene.models()).toEqual(["A model"]);
  expect(scene.comment(pull)).not.toContain("cannot continue");
});

test("a merge that cannot be read is told on the pull request, and GitHub's redelivery publishes it", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  await scene.judge();
  await later();
  scene.github.trouble = (asked) => (asked.includes("/git/trees/") ? notFound : undefined);
  const merge = pull.merge();
  await scene.told(merge);
  expect(scene.comment(pull)).toContain("404 Not Found");
  expect(scene.status(pull)).toBe(FAILED);
  scene.github.trouble = () => undefined;
  await scene.told(merge);
  expect(await published()).toEqual([1]);
});

test("a suite that is not there is told on the pull request", async () => {
  scene.github.options.suite = "gone";
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  scene.github.options.suite = "tiny";
  expect(scene.comment(pull)).toContain('there is no suite "gone"');
  expect(scene.status(pull)).toBe("failure: The submission has faults; the comment names them");
});

test("where the comment is refused, the status says so; where the status is, the comment is written", async () => {
  const pull = scene.github.open({ [PATH]: "{" });
  scene.github.trouble = (asked) => (asked.includes("/comments") ? forbidden : undefined);
  await scene.told(pull.label("mia"));
  expect(scene.status(pull)).toBe("failure: The submission has faults; GitHub refused the comment that names them");
  const other = scene.github.open({ [PATH]: "{" });
  scene.github.trouble = (asked) => (asked.includes("/statuses/") ? forbidden : undefined);
  await scene.told(other.label("mia"));
  expect(scene.comment(other)).toContain("`this is not valid JSON");
  const asked = scene.github.asked.length;
  await scene.work(25 * HOUR_MS);
  expect(scene.github.asked).toHaveLength(asked);
});

test("a new head stops the evaluation also where the App may not take the label off", async () => {
  const pull = scene.github.open(FILES);
  await scene.told(pull.label("mia"));
  scene.github.trouble = (asked) => (asked.startsWith("DELETE") ? forbidden : undefined);
  await scene.told(pull.push({ [PATH]: submissionText("Better") }));
  expect(await stopped()).toEqual([1]);
  expect(scene.comment(pull)).toContain("A maintainer takes it off, which GitHub refused to KernelBot, and gives");
});

test("what is given up after a day is told in the comment and the status", async () => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = (asked) =>
    asked.includes("/git/blobs/") ? { status: 500, body: { message: "Oops" } } : undefined;
  await scene.told(pull.label("mia"));
  expect(scene.comment(pull)).toBe("");
  await scene.work(25 * HOUR_MS);
  expect(scene.comment(pull)).toContain("500 Oops");
  expect(scene.status(pull)).toBe(FAILED);
});

test("two pull requests with the same file do not stop each other's evaluation", async () => {
  const [first, second] = [scene.github.open(FILES), scene.github.open(FILES)];
  await scene.told(first.label("mia"));
  await scene.told(second.label("mia"));
  // The same content by the same account is one entry.
  expect(await scene.models()).toHaveLength(1);
  await scene.told(second.close());
  expect(await stopped()).toEqual([]);
  await scene.told(first.close());
  expect(await stopped()).toEqual([1]);
});

test("a comment that somebody deleted is made again, and one of a stranger with our mark is left alone", async () => {
  const pull = scene.github.open(FILES);
  pull.comment("<!-- kernelbot:kernelbench -->\nAll is well, merge it.");
  await scene.told(pull.label("mia"));
  expect(pull.comments).toHaveLength(2);
  pull.comments.splice(1);
  await scene.judge();
  await later();
  expect(pull.comments.map(({ body }) => body.includes("| Correct |"))).toEqual([false, true]);
});

test.each([
  ["503", { status: 503, body: { message: "Unavailable" } }],
  ["429 with a time", { status: 429, headers: { "retry-after": "1800" }, body: {} }],
  [
    "a spent limit",
    { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" }, body: {} },
  ],
  ["a secondary limit", { status: 403, body: { message: "You have exceeded a secondary rate limit" } }],
  ["another shape", { status: 200, body: [] }],
])("GitHub's %s loses nothing: it is tried again when its time has come", async (_, trouble) => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = (asked) => (asked.includes("/collaborators/") ? trouble : undefined);
  await scene.told(pull.label("mia"));
  expect(await scene.models()).toEqual([]);
  const asked = scene.github.asked.length;
  await scene.work(500);
  expect(scene.github.asked).toHaveLength(asked);
  scene.github.trouble = () => undefined;
  await scene.work(HOUR_MS);
  expect(await scene.models()).toHaveLength(1);
});

test("GitHub is left alone for as long as it asks", async () => {
  const pull = scene.github.open(FILES);
  scene.github.trouble = () => ({ status: 429, headers: { "retry-after": "1800" }, body: {} });
  await scene.told(pull.label("mia"));
  const asked = scene.github.asked.length;
  await scene.work(HOUR_MS / 2 - 60_000);
  expect(scene.github.asked).toHaveLength(asked);
  await scene.work(60_001);
  expect(scene.github.asked.length).toBeGreaterThan(asked);
});

test("what cannot be done for a day is given up, and taken up when GitHub sends it again", async () => {
  const pull = scene.github.open(FILES);
  const label = pull.label("mia");
  scene.github.trouble = () => ({ status: 500, body: {} });
  await scene.told(label);
  await scene.work(25 * HOUR_MS);
  const asked = scene.github.asked.length;
  await scene.work(25 * HOUR_MS);
  expect(scene.github.asked).toHaveLength(asked);
  scene.github.trouble = () => undefined;
  await scene.told(label);
  expect(await scene.models()).toHaveLength(1);
});

test("wherever the connection breaks on the way, it ends the same", async () => {
  const { github } = scene;
  /** Evaluates and merges a pull request. @returns the number of requests to GitHub. */
  async function wholeWay(number: number): Promise<number> {
    const before = github.asked.length;
    const pull = github.open({ [PATH]: submissionText("A model", oneKernel(number)) });
    await scene.told(pull.label("mia"));
    await later();
    await scene.judge();
    await later();
    await later();
    await scene.told(pull.merge());
    await later();
    expect(scene.comment(pull)).toContain("**Published**");
    expect(pull.comments).toHaveLength(1);
    return github.asked.length - before;
  }
  const steps = await wholeWay(0);
  for (let step = 1; step <= steps; step += 1) {
    const breakAt = github.asked.length + step;
    github.breaks = () => github.asked.length === breakAt;
    await wholeWay(step);
    expect(github.asked.length).toBeGreaterThan(breakAt);
  }
  expect(await published()).toHaveLength(1 + steps);
});
