#!/usr/bin/env node
import { isNodeTooOld } from "@kernelbot/tester/node-version";

if (isNodeTooOld("kernelbot-server")) process.exitCode = 3;
else await import("../src/main.ts");
