/** Fixtures for pull requests: a server, a fake GitHub, and evaluations that end when the test says so. */
import { openEvaluation } from "../evaluation.ts";
import { openGitHub } from "../github.ts";
import type { PullRequestOptions } from "../options.ts";
import { processDuePulls } from "../service.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { MAX_ATTEMPTS } from "@kernelbot/core";
import { claimed, failing, JUDGE_FAILED, person, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { entryRequest, judgeAll, duelPassing, withSuite } from "@kernelbot/testing/kernelbench.ts";
import {
  REPOSITORY,
  startFakeGitHub,
  type Delivery,
  type FakeGitHub,
  type FakePull,
} from "@kernelbot/testing/fake-github.ts";

export interface PullScene extends AsyncDisposable {
  testServer: TestServer;
  github: FakeGitHub;
  /** Options of the server and of the work on pull requests. */
  options: PullRequestOptions;
  /** Returns the model names of all entries, in order. */
  models(): Promise<string[]>;
  /**
   * Judges all queued runs: each kernel is correct and twice as fast as its model, except those of problem 2, which
   * fail.
   */
  judge(): Promise<void>;
  /** Makes the queued run of one kernel end as `infra_error`. */
  lose(): Promise<void>;
  /** Deletes all pull requests and entries. */
  reset(): Promise<void>;
  /** Sends a delivery to the server; @returns the status of the response. */
  send(delivery: Delivery): Promise<number>;
  /** Advances the clock and processes pull requests that are due. */
  work(afterMs?: number): Promise<void>;
  /** Sends a delivery and processes it. */
  deliver(delivery: Delivery): Promise<void>;
  /** Returns the App's comment on a pull request. */
  comment(pull: FakePull): string;
  /** Returns the latest commit status of the head, such as `success: Correct: 1/2`. */
  status(pull: FakePull): string | undefined;
}

/** Returns a submission file for the suite `tiny`, which has three problems. */
export function submissionText(name = "A model", kernels?: Record<string, string>): string {
  return JSON.stringify(entryRequest({ metadata: { display_name: name }, ...(kernels && { kernels }) }).file);
}

export async function openPullScene(): Promise<PullScene> {
  const github = await startFakeGitHub();
  const options: PullRequestOptions = {
    ...github.app,
    ...{ repositories: [REPOSITORY], suite: "tiny", target: "cpu", compiledBaseline: true, account: "bench" },
  };
  const testServer = await openTestServer({ options: { pullRequests: options } });
  const { database } = testServer;
  await testServer.token(options.account);
  const box = await runner(database);
  await withSuite(database, await person(database, "olga", ["admin"], ["organiser"]));
  const ending = new AbortController();
  const tools = {
    database,
    github: await openGitHub(options, ending.signal),
    evaluation: openEvaluation(database, options),
    publicUrl: "https://kernels.example.org",
  };
  let passedMs = 0;
  const scene: PullScene = {
    testServer,
    github,
    options,
    async models() {
      const rows = await database.sql`select metadata ->> 'display_name' as name from kernelbench_entry order by id`;
      return rows.map(({ name }) => String(name));
    },
    async judge() {
      const rows = await database.sql`select from run where state = 'queued'`;
      await judgeAll(database, box, rows.length, (board) =>
        board === "tiny-l1-p2" ? failing("wrong_result") : duelPassing(1000, 2000, 800),
      );
    },
    async lose() {
      for (let n = 0; n < MAX_ATTEMPTS; n += 1)
        await reported(database, box, await claimed(database, box), JUDGE_FAILED);
    },
    async reset() {
      await database.sql`truncate kernelbench_pull, kernelbench_entry, submission restart identity cascade`;
      Object.assign(github, { trouble: () => undefined, breaks: () => false });
      Object.assign(options, { target: "cpu", suite: "tiny" });
      github.requests.length = 0;
      github.statuses.length = 0;
    },
    async send({ headers, body }) {
      const response = await testServer.ask("/api/v1/kernelbench/github", undefined, { method: "POST", headers, body });
      return response.status;
    },
    async work(afterMs = 0) {
      passedMs += afterMs;
      await processDuePulls(tools, { clock: () => new Date(Date.now() + passedMs) });
    },
    async deliver(delivery) {
      await scene.send(delivery);
      await scene.work();
    },
    comment: (pull) =>
      pull.comments
        .filter((comment) => comment.performed_via_github_app !== null)
        .map(({ body }) => body)
        .join("\n=====\n"),
    status: (pull) => {
      const latest = github.statuses.findLast(({ sha }) => sha === pull.head);
      return latest && `${latest.state}: ${latest.description}`;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await testServer[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
  return scene;
}
