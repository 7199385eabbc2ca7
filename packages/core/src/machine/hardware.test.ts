import { expect, test } from "vitest";
import { capacityOf, DATA_SHEETS, dataSheetOf, MEASURED_MARGIN, peakRatesOf } from "./hardware.ts";
import type { Machine } from "./machine.ts";

// Model names as reported by nvidia-smi, rocm-smi and PyTorch.
test.each([
  ["Tesla T4", "NVIDIA T4"],
  ["NVIDIA L4", "NVIDIA L4"],
  ["NVIDIA L40S", "NVIDIA L40S"],
  ["NVIDIA A10", "NVIDIA A10"],
  ["NVIDIA A100-SXM4-40GB", "NVIDIA A100 40GB"],
  ["NVIDIA A100-PCIE-40GB", "NVIDIA A100 40GB"],
  ["NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB SXM"],
  ["NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe"],
  ["NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM"],
  ["NVIDIA H100 PCIe", "NVIDIA H100 PCIe"],
  ["NVIDIA H100 NVL", "NVIDIA H100 NVL"],
  ["NVIDIA H200", "NVIDIA H200"],
  ["NVIDIA B200", "NVIDIA B200"],
  ["NVIDIA GB200", "NVIDIA GB200"],
  ["NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"],
  ["NVIDIA GeForce RTX 5090", "NVIDIA GeForce RTX 5090"],
  ["AMD Instinct MI210", "AMD Instinct MI210"],
  ["AMD Instinct MI250X / MI250", "AMD Instinct MI250X"],
  ["AMD Instinct MI300X OAM", "AMD Instinct MI300X"],
  ["AMD Instinct MI325X", "AMD Instinct MI325X"],
  ["AMD Instinct MI355X", "AMD Instinct MI355X"],
])("%s has the data sheet of the %s", (model, name) => {
  expect(dataSheetOf(model)?.name).toBe(name);
});

test.each([
  "NVIDIA GH200 480GB",
  "NVIDIA A10G",
  "NVIDIA L40",
  "NVIDIA GeForce RTX 4090 Laptop GPU",
  "NVIDIA H100",
  "Fake H200",
  "",
])("%s does not match a device with a similar name", (model) => {
  expect(dataSheetOf(model)).toBeNull();
});

test.each([
  ["A100", 40e9],
  ["H100", 80e9],
  ["MI300", 192e9],
  ["MI300x8", 192e9],
  ["H10", null],
  ["cpu", null],
])("the smallest device of target %s has %d bytes", (target, bytes) => {
  expect(capacityOf(target)).toBe(bytes);
});

test("each model name matches exactly one data sheet, and each data sheet a model", () => {
  expect(new Set(DATA_SHEETS.map(({ name }) => name)).size).toBe(DATA_SHEETS.length);
  expect(new Set(DATA_SHEETS.map(({ model }) => model)).size).toBe(DATA_SHEETS.length);
});

test.each(DATA_SHEETS.map((sheet) => [sheet.name, sheet] as const))(
  "the numbers of the %s have sane units",
  (_, sheet) => {
    // From a T4 to future modules; detects errors by a factor of 1000.
    expect(sheet.memory.value).toBeGreaterThan(200);
    expect(sheet.memory.value).toBeLessThan(20_000);
    expect(sheet.arithmetic.value).toBeGreaterThan(100);
    expect(sheet.arithmetic.value).toBeLessThan(50_000);
    expect(sheet.cache.value).toBeGreaterThanOrEqual(4);
    expect(sheet.cache.value).toBeLessThan(1000);
    expect(sheet.capacity.value).toBeGreaterThanOrEqual(16);
    expect(sheet.capacity.value).toBeLessThan(1000);
    // Operations per byte; the range covers all current accelerators.
    const balance = (sheet.arithmetic.value * 1e12) / (sheet.memory.value * 1e9);
    expect(balance).toBeGreaterThan(100);
    expect(balance).toBeLessThan(2000);
    expect(sheet.sources.every((url) => /^https:\/\/[a-z.]+\.(nvidia|amd)\.com\//.test(url))).toBe(true);
  },
);

const MACHINE: Machine = {
  hostname: "box",
  os: "Linux",
  arch: "x86_64",
  cpu: { model: "Fast CPU", count: 2, clockMhz: null, measured: { memoryBytesPerS: 3e10, operationsPerS: 1e11 } },
  memoryBytes: 8e9,
  accelerators: [],
  runtime: null,
  driver: null,
  python: "3.11.2",
  frameworks: {},
  sandbox: "bubblewrap",
  testerVersion: "1",
};
const withAccelerator = (model: string, measured: Machine["cpu"]["measured"] = null): Machine => ({
  ...MACHINE,
  accelerators: [{ model, memoryBytes: 8e10, architecture: null, clockMhz: null, measured }],
});

test("the rates of a CPU are measured with a margin, and its cache sizes are not used", () => {
  expect(peakRatesOf(MACHINE, "cpu")).toEqual({
    memoryBytesPerS: 3e10 * MEASURED_MARGIN.memory,
    operationsPerS: 1e11 * MEASURED_MARGIN.arithmetic,
    cacheBytes: Infinity,
    from: "measured",
  });
});

test("a CPU other than x86 has no known bandwidth, because a cache may keep evicted inputs", () => {
  const rates = peakRatesOf({ ...MACHINE, arch: "aarch64" }, "cpu");
  expect(rates).toMatchObject({ memoryBytesPerS: Infinity, operationsPerS: 1e11 * MEASURED_MARGIN.arithmetic });
});

test("a CPU without measured arithmetic still has a bandwidth", () => {
  const cpu = { ...MACHINE.cpu, measured: { memoryBytesPerS: 3e10, operationsPerS: null } };
  expect(peakRatesOf({ ...MACHINE, cpu }, "cpu")).toMatchObject({ memoryBytesPerS: 6e10, operationsPerS: Infinity });
});

test("the rates of an accelerator are the larger of data sheet and measurement", () => {
  const stated = { memoryBytesPerS: 3.35e12, operationsPerS: 1.979e15, cacheBytes: 50 * 2 ** 20, from: "data sheet" };
  expect(peakRatesOf(withAccelerator("NVIDIA H100 80GB HBM3"), "H100")).toEqual(stated);
  const measured = { memoryBytesPerS: 3.5e12, operationsPerS: 7e14 };
  expect(peakRatesOf(withAccelerator("NVIDIA H100 80GB HBM3", measured), "H100")).toEqual({
    ...stated,
    memoryBytesPerS: 3.5e12,
  });
});

test("the rates of an accelerator without a data sheet are measured with a margin", () => {
  const measured = { memoryBytesPerS: 4e12, operationsPerS: 1e15 };
  expect(peakRatesOf(withAccelerator("NVIDIA GH200 480GB", measured), "GH200")).toMatchObject({
    memoryBytesPerS: 8e12,
    operationsPerS: 1.6e16,
    from: "measured",
  });
});

test("a missing device, or one without measurement and data sheet, has no rates", () => {
  expect(peakRatesOf(withAccelerator("New Device"), "new")).toBeNull();
  expect(peakRatesOf(MACHINE, "H100")).toBeNull();
  expect(peakRatesOf({ ...MACHINE, cpu: { ...MACHINE.cpu, measured: null } }, "cpu")).toBeNull();
});

test("a machine stored without measurements has no rates", () => {
  const cpu = { model: "Old CPU", count: 2, clockMhz: null };
  expect(peakRatesOf({ ...MACHINE, cpu }, "cpu")).toBeNull();
});
