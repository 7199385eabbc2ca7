import { testShippedProblems } from "../tests/shipped-problems.ts";

await testShippedProblems(1);
