import { SINGLE_MODES } from "@kernelbot/core";
import { checkOut } from "../submission/artifacts.ts";
import { declaredAuthor } from "../submission/author.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { findDestination, wantedDestination } from "../submission/destination.ts";
import { EXIT } from "../command/exit.ts";
import { follow } from "../submission/watch.ts";
import { printJson, printOutcome } from "../submission/results.ts";
import { readSource } from "../submission/source-file.ts";
import { withOtherFaults } from "../submission/submit-errors.ts";
import { leftAfter, submitPatiently } from "../submission/submit.ts";
import { toLicence } from "./licence.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "submit",
  about: "Hands in a kernel, shows its progress, and says how it came out.",
  positionals: ["FILE"],
  options: {
    board: { type: "string", short: "b", value: "NAME", help: "The board, which is a problem's name" },
    target: { type: "string", short: "t", value: "NAME", multiple: true, help: "The device to run on" },
    mode: { type: "string", short: "m", choices: SINGLE_MODES, default: "test", help: "How far to go" },
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile there" },
    author: { type: "string", value: "KIND", help: "Who wrote it: human, assisted or autonomous" },
    model: { type: "string", value: "NAME", help: "The model, where one helped or wrote it" },
    licence: { type: "string", value: "SPDX", help: "Let it be published under this licence, or none" },
    anonymous: { type: "boolean", help: "Published data has it under a pseudonym" },
    "no-wait": { type: "boolean", help: "Do not watch; print the number to watch by" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Modes: test checks the results and costs little; benchmark also times; ranked checks, times and enters the board; " +
      "profile says where the time goes.",
    "FILE may be - for the standard input. The file itself may say where it goes, in lines such as\n" +
      "    #!KERNELBOT board vectoradd\n" +
      "    #!KERNELBOT target cpu\n" +
      "(#!POPCORN leaderboard and gpu mean the same; C++ has //! for #!). A board with a single target needs no target.",
    "Say who wrote it by --author, by KERNELBOT_AUTHOR and KERNELBOT_MODEL in an agent's environment, or by lines such as\n" +
      "    #!KERNELBOT author autonomous\n" +
      "    #!KERNELBOT model NAME",
    "Ctrl-C stops watching, not the submission: kernelbot watch goes on, kernelbot cancel ends it.",
  ],
  run: async (
    { board, target, mode, out, author, model, licence, anonymous, "no-wait": noWait, json, server },
    file,
  ) => {
    checkOut(out, mode);
    const { fileName, source } = await readSource(file);
    const connection = await connect(server);
    const { client, pageOf } = connection;
    const refused = async (error: unknown): Promise<never> => {
      throw await withOtherFaults(connection.server, error, wantedDestination(source, { board, targets: target }));
    };
    const destination = await findDestination(client, source, { board, targets: target }).catch(refused);
    const declared = {
      ...declaredAuthor(source, { author, model }),
      ...(licence !== undefined && { licence: toLicence(licence) }),
      ...(anonymous && { anonymous }),
    };
    const { print } = terminalOf(process.stdout);
    const submission = await submitPatiently(client, { ...destination, mode, fileName, source, ...declared }, () =>
      console.error(`The server at ${connection.server} does not answer; trying again for some seconds.`),
    ).catch(refused);
    const { id } = submission;
    if (noWait) {
      if (json) printJson(pageOf(id), submission, [], false);
      else {
        const accepted = `Submission ${id} is accepted. To watch it: kernelbot watch ${id}`;
        print([accepted, pageOf(id), ...(await leftAfter(client, submission))]);
      }
      return EXIT.passed;
    }
    if (!json) print(await leftAfter(client, submission));
    await follow(client, submission, json);
    const exit = await printOutcome(connection, id, { json, samples: false, out });
    if (!json && exit === EXIT.passed && mode !== "ranked")
      print(["To enter the board, submit it with --mode ranked."]);
    return exit;
  },
});
