import { expect, test } from "vitest";
import { importedModules, reachableModules, withRelativeImports } from "./python-imports.ts";

const LOCAL = new Map([
  ["task", "task"],
  ["utils", "utils"],
  ["submission", "kernel"],
]);

test.each([
  ["from task import input_t, output_t", "from .task import input_t, output_t"],
  ["    from utils import (\n        a,\n    )", "    from .utils import (\n        a,\n    )"],
  ["import task", "from . import task"],
  ["import task as t", "from . import task as t"],
  ["import os, task, torch.nn.functional as F", "import os; from . import task; import torch.nn.functional as F"],
  ["from submission import custom_kernel", "from .kernel import custom_kernel"],
  ["import submission", "from . import kernel as submission"],
  ["import submission as s", "from . import kernel as s"],
  ["x = 1; import task", "x = 1; from . import task"],
  ["if x: from task import y", "if x: from .task import y"],
])("makes %j relative", (before, after) => {
  expect(withRelativeImports(before, LOCAL)).toBe(after);
});

test.each([
  ["a string", '"""\nfrom task import x\n"""'],
  ["a comment", "# import task"],
  ["a string in one line", "x = 'a; import task'"],
  ["a string with an escaped quote", "x = 'it\\'s'; y = '; import task'"],
  ["another module of a similar name", "import tasks\nfrom task_types import x\nimport torch.utils"],
  ["a relative import", "from . import task\nfrom .task import x"],
  ["a name", "task = 1\nimported = task"],
])("leaves %s unchanged", (_, source) => {
  expect(withRelativeImports(source, LOCAL)).toBe(source);
});

test("lists the top-level names of imported modules", () => {
  const source =
    'import os, sys as s\nimport torch.nn.functional as F\nfrom triton.language import dot\nfrom . import x\n"""\nimport none\n"""\n';
  expect([...importedModules(source)]).toEqual(["os", "sys", "torch", "triton"]);
});

test("finds modules that are imported through others, and ends for modules that import each other", () => {
  const texts = new Map([
    ["a", "import b"],
    ["b", "import a\nimport c"],
    ["c", ""],
    ["d", ""],
  ]);
  expect([...reachableModules("import a", texts).keys()]).toEqual(["a", "b", "c"]);
});
