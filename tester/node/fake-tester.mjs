#!/usr/bin/env node
// Fake tester that fails on demand: the source of a job selects the behaviour, with an argument after a space.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const machine = {
  hostname: "fake",
  os: "Linux",
  arch: "x86_64",
  cpu: { model: "Fake CPU", count: 2, clockMhz: null },
  memoryBytes: 1e9,
  accelerators: [],
  runtime: null,
  driver: null,
  python: "3.11",
  frameworks: { torch: "1.13.0" },
  sandbox: process.argv.includes("--unsafe-no-sandbox") ? "none" : "bubblewrap",
  testerVersion: "fake",
};
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const event = (id, event) => say({ id, event });
const verdict = (id, name, message = null) =>
  event(id, { type: "verdict", verdict: name, failureClass: null, message, detail: null });

const jobs = {
  pass: (id) => {
    event(id, { type: "stage_finished", stage: "prepare", passed: true, durationNs: 1 });
    verdict(id, "passed");
  },
  // Writes an artifact to the job's artifact folder.
  profile: (id, _, { artifactFolder: folder }) => {
    writeFileSync(`${folder}/profile.0.txt`, folder);
    const sha256 = createHash("sha256").update(folder).digest("hex");
    const fields = { name: "profile.0.txt", mediaType: "text/plain", sizeBytes: folder.length, sha256 };
    event(id, { type: "artifact", stage: "profile", ...fields });
    verdict(id, "passed");
  },
  die: () => {
    process.stderr.write("Segmentation fault, or so\n");
    process.exitCode = 7;
    process.stdin.destroy();
  },
  garbage: () => process.stdout.write("all is well\n"),
  stranger: () => verdict("another", "passed"),
  endless: () => process.stdout.write("x".repeat(17 * 1024 * 1024)),
  // Source of the canary: each call takes a millisecond; for the target `slow` it runs until it is cancelled.
  import: (id, _, { target, problem }) => {
    if (target === "slow") return;
    for (const index of problem.spec.benchmarks.keys()) {
      const rounds = Array.from({ length: 6 }, () => ({ candidateNs: [1e6], referenceNs: [1e6] }));
      const fields = { status: "passed", message: null, mismatch: null, bytes: null, operations: null, rounds };
      event(id, { type: "case_finished", stage: "benchmark", index, case: {}, ...fields });
    }
    jobs.pass(id);
  },
  // Runs until it is cancelled.
  wait: () => undefined,
  // Passes as soon as the file exists.
  await: (id, path) => {
    const timer = setInterval(() => {
      if (!existsSync(path)) return;
      clearInterval(timer);
      jobs.pass(id);
    }, 10);
  },
  // Reports the job's rival.
  duel: (id, _, { rival }) => {
    event(id, { type: "output", stage: "test", head: JSON.stringify(rival), tail: "", droppedBytes: 0 });
    verdict(id, "passed");
  },
  // Leaks the seed of the job, which a tester must not do.
  seed: (id, _, { seed }) => {
    event(id, { type: "output", stage: "test", head: seed, tail: "", droppedBytes: 0 });
    jobs.pass(id);
  },
  // Ignores every signal and input, with one child in its session and one that has left it.
  hang: (id) => {
    const children = [false, true].map((detached) => spawn("sleep", ["1000"], { detached, stdio: "ignore" }));
    const pids = [process.pid, ...children.map((child) => child.pid)].join(" ");
    event(id, { type: "output", stage: "test", head: pids, tail: "", droppedBytes: 0 });
  },
};

if (process.env.FAKE_TESTER_REFUSES !== undefined) {
  say({ type: "refused", reason: process.env.FAKE_TESTER_REFUSES });
} else {
  say({ type: "ready", machine });
  let source = "";
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === "run") {
      source = message.source;
      event(message.id, { type: "stage_started", stage: "prepare", cases: 0 });
      const [name, argument] = source.split(/\s+/);
      jobs[name](message.id, argument, message);
    } else if (source === "wait" || source.startsWith("import")) verdict(message.id, "infra_error", "cancelled");
  }
}
