import { expect, test } from "vitest";
import type { Machine } from "./machine.ts";
import { hardwareMismatch } from "./target-hardware.ts";

function machine(...models: string[]): Machine {
  return {
    hostname: "box",
    os: "Linux",
    arch: "x86_64",
    cpu: { model: "Fast CPU", count: 2, clockMhz: null, measured: null },
    memoryBytes: 8e9,
    accelerators: models.map((model) => ({
      model,
      memoryBytes: 80e9,
      architecture: null,
      clockMhz: null,
      measured: null,
    })),
    runtime: null,
    driver: null,
    python: "3.13",
    frameworks: {},
    sandbox: "bubblewrap",
    testerVersion: "1",
  };
}

const SXM = "NVIDIA H100 80GB HBM3";

test.each([
  ["cpu", []],
  ["cpu-epyc", [SXM]],
  ["H100", [SXM]],
  ["H100", ["NVIDIA H100 PCIe"]],
  ["H100_lab", [SXM]],
  ["H100x2", [SXM, SXM, SXM]],
  ["L4x4", Array.from({ length: 4 }, () => "NVIDIA L4")],
  ["MI300", ["AMD Instinct MI300X OAM"]],
  ["MI250", ["AMD Instinct MI250X"]],
  ["FPGA", ["whatever the driver says"]],
])("the target %s accepts a machine with %j", (target, models) => {
  expect(hardwareMismatch(target, machine(...models))).toBeNull();
});

test.each([
  ["H100", [], /H100 SXM or NVIDIA H100 PCIe .*"box" has no accelerator that its driver reports/],
  ["H100", ["NVIDIA H200"], /"box" has NVIDIA H200; start the runner for this machine's own target/],
  ["H100", ["NVIDIA H100 80GB HBM3 MIG 1g.10gb"], /MIG/],
  ["H100", ["NVIDIA T4", SXM], /the target H100 is/],
  ["H100x2", [SXM], /the target H100x2 is 2 × NVIDIA H100/],
  ["L4", ["NVIDIA L40S"], /the target L4 is NVIDIA L4,/],
  ["FPGA", [], /the target FPGA is an accelerator/],
])("the target %s rejects a machine with %j", (target, models, sentence) => {
  expect(hardwareMismatch(target, machine(...models))).toMatch(sentence);
});

test("an operator's configuration of a target takes precedence over the target's name", () => {
  const stated = new Map([
    ["lab", /^(?:Tenstorrent .*)$/],
    ["H100", /^(?:NVIDIA H100 .*)$/],
  ]);
  expect(hardwareMismatch("lab", machine("Tenstorrent n300"), stated)).toBeNull();
  expect(hardwareMismatch("lab", machine(SXM), stated)).toMatch(/operator configured/);
  expect(hardwareMismatch("H100", machine("NVIDIA H100 96GB"), stated)).toBeNull();
});
