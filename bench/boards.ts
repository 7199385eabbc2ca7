import { rmSync } from "node:fs";
import { startServer, temporaryDataDir } from "../scripts/processes.ts";
import { fill, tokenOf, WITH_TOKENS } from "./boards/fill.ts";
import { quantile, type Bench, type Figure } from "./figure.ts";
import { load } from "./load.ts";

const ACCOUNTS = 20_000;
const SUBMISSIONS = 1_000_000;
/** Concurrent connections: more would only compete on a machine with two cores. */
const CONNECTIONS = 2;
const SECONDS = 15;

/**
 * Measures the most frequent requests over HTTP on a server with a million submissions and three million runs, as the
 * 99th percentile of the response times. Submissions, boards and accounts are chosen at random for each request, so
 * first reads are included, except of boards, which the server computes in its first seconds.
 */
export const boards: Bench = async () => {
  const dataDir = temporaryDataDir();
  try {
    // The server creates the database and its problems.
    const { token } = await made(dataDir);
    await fill(dataDir, { accounts: ACCOUNTS, submissions: SUBMISSIONS });
    return await measured(dataDir, token);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

/** Measures a data folder that has been filled. */
export async function measured(dataDir: string, token: string): Promise<Figure[]> {
  await using server = await startServer({ dataDir });
  const all = await addresses(server.url);
  const figures: Figure[] = [];
  for (const { name, next } of [
    { name: "poll of a submission", next: () => ({ path: `/api/v1/submissions/${drawn(SUBMISSIONS)}`, token }) },
    { name: "board page", next: () => ({ path: any(all.boards), token }) },
    { name: "personal history", next: () => ({ path: "/api/v1/submissions", token: tokenOf(any(WITH_TOKENS)) }) },
    { name: "person page", next: () => ({ path: `/people/account-${drawn(ACCOUNTS)}`, token }) },
    { name: "front page", next: () => ({ path: "/", token }) },
    { name: "competition page", next: () => ({ path: "/competitions/present", token }) },
    { name: "queue page", next: () => ({ path: "/queue", token }) },
    { name: "moderation page", next: () => ({ path: "/api/v1/moderation/queue", token }) },
  ]) {
    figures.push(...(await timed(server.url, name, next)));
  }
  return figures;
}

async function made(dataDir: string): Promise<{ token: string }> {
  await using server = await startServer({ dataDir });
  return { token: server.token };
}

async function addresses(url: string): Promise<{ boards: string[] }> {
  const response = await fetch(`${url}/api/v1/boards`);
  const { boards } = (await response.json()) as { boards: { board: string; target: string }[] };
  return { boards: boards.map(({ board, target }) => `/boards/${board}/${target}`) };
}

async function timed(url: string, name: string, next: () => { path: string; token: string }): Promise<Figure[]> {
  const times: number[] = [];
  const request = () => {
    const { path, token } = next();
    return { method: "GET", path, headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip" } };
  };
  // Requests of a page that is not measured warm the database connections.
  const warm = () => ({ method: "GET", path: "/problems", headers: {} });
  await load({ url, connections: CONNECTIONS, seconds: 1, next: warm, status: 200 });
  await load({
    url,
    connections: CONNECTIONS,
    seconds: SECONDS,
    next: request,
    status: 200,
    onAnswer: (ms) => times.push(ms),
  });
  return [
    { name: `${name}, median`, value: quantile(times, 0.5), unit: "ms" },
    { name: `${name}, p99`, value: quantile(times, 0.99), unit: "ms" },
  ];
}

/** Returns a random integer from 1 to `most`. */
function drawn(most: number): number {
  return 1 + Math.floor(Math.random() * most);
}

function any<Item>(items: readonly Item[]): Item {
  return items[drawn(items.length) - 1] as Item;
}
