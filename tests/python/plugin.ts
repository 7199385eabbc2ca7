/** Vitest plugin that treats Python unittest modules as test files. */
import { join } from "node:path";
import type { Plugin } from "vitest/config";

export function pythonTests(): Plugin {
  const register = join(import.meta.dirname, "register.ts");
  return {
    name: "kernelbot:python-tests",
    enforce: "pre",
    load(id) {
      const [path = id] = id.split("?");
      if (!path.endsWith(".py")) return null;
      return `import { registerPythonModule } from ${JSON.stringify(register)};
await registerPythonModule(${JSON.stringify(path)});`;
    },
  };
}
