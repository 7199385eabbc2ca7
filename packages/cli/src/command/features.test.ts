import { expect, test } from "vitest";
import { defineCommand } from "./command.ts";
import { withFeatures, type FeatureCommands } from "./features.ts";
import { commandHelp, defineGroup, describeCommands, type CommandTable } from "./group.ts";

function entry(name: string): CommandTable[string] {
  const command = defineCommand({ name, positionals: [], options: {}, run: () => Promise.resolve(0) });
  return { about: `Run ${name}`, load: () => Promise.resolve({ command }) };
}

const PROBLEM = {
  about: "Create and check problems",
  load: () => {
    const commands = { new: entry("problem new"), check: entry("problem check") };
    return Promise.resolve({ command: defineGroup({ name: "problem", commands, notes: ["A note."] }) });
  },
};
const FEATURES: readonly FeatureCommands[] = [
  { problem: { generate: { ...entry("problem generate"), before: "check" } } },
  { problem: { import: { ...entry("problem import"), before: "check" }, publish: entry("problem publish") } },
  { Work: { convert: { ...entry("convert"), before: "problem" }, last: { ...entry("last"), before: "missing" } } },
];

test("commands of features follow each other before the command that they name, and are last without one", async () => {
  const table = withFeatures("Work", { eval: entry("eval"), problem: PROBLEM }, FEATURES);
  expect((await describeCommands(table)).map(({ name }) => name)).toEqual([
    ...["eval", "convert"],
    ...["problem new", "problem generate", "problem import", "problem check", "problem publish"],
    "last",
  ]);
  expect(await commandHelp(table, "problem", [])).toMatch(/ {2}import +Run problem import\n[^]*A note\./);
});

test("a group of a feature gets commands of another feature", async () => {
  const group = defineGroup({ name: "course", commands: {} });
  const features: readonly FeatureCommands[] = [
    { Work: { course: { about: "Manage courses", load: () => Promise.resolve({ command: group }) } } },
    { course: { lti: entry("course lti") } },
  ];
  const described = await describeCommands(withFeatures("Work", {}, features));
  expect(described.map(({ name }) => name)).toEqual(["course lti"]);
});

test("a group without commands, whose features are deleted, does not exist", () => {
  const group = defineGroup({ name: "export", commands: {} });
  const table: CommandTable = {
    export: { about: "Export kernels", ofFeatures: true, load: () => Promise.resolve({ command: group }) },
  };
  expect(Object.keys(withFeatures("Work", table, []))).toEqual([]);
  expect(Object.keys(withFeatures("Work", table, [{ export: { harbor: entry("export harbor") } }]))).toEqual([
    "export",
  ]);
});
