/** Handles the label being added: checks the sender's permission and the head commit, then reads the files. */
import { codeSpan, type KernelBenchEntryFile, KernelBotError } from "@kernelbot/core";
import { json } from "@kernelbot/server/src/db/json.ts";
import { LABEL } from "./events.ts";
import { FOLDER, isRefusal, readSubmission, selectFiles, type Refusal, type SubmissionFile } from "./files.ts";
import { onNewHead, replaceEntries, stopEntries } from "./on-changed.ts";
import { isPermanent } from "./permanent.ts";
import { updatePull, storeEntry, type Work } from "./pull-state.ts";

/** Permissions that may request an evaluation. This GitHub API reports maintainers as `write`. */
const MAY_ASK = ["write", "maintain", "admin"];

interface ReadyFile extends SubmissionFile {
  file: KernelBenchEntryFile;
}

export async function onLabelAdded(work: Work, { sha, by }: { sha: string; by: string }): Promise<Work> {
  const { api, address } = work;
  if (!MAY_ASK.includes(await api.permission(address, by))) {
    const rule = `Only users with write access to this repository can request an evaluation: one of them must remove the label ${codeSpan(LABEL)} and add it again.`;
    return updatePull(work, { notice: `${codeSpan(by)} added the label without write access. ${rule}` });
  }
  const now = await api.pull(address);
  // The label was removed meanwhile, by hand or by closing.
  if (now.state === "closed" || !now.labels.includes(LABEL)) return work;
  if (now.headSha !== sha) return work.pull.labelled_sha === now.headSha ? work : onNewHead(work, now.headSha);
  const labelled = await updatePull(work, { head_sha: sha, labelled_sha: sha, labelled_by: by, notice: null });

  try {
    const { files, refusals, others } = await readFiles(labelled, sha);
    return await (refusals.length > 0 ? rejectFiles(labelled, refusals) : evaluate(labelled, sha, files, others));
  } catch (error) {
    if (!(error instanceof KernelBotError) || !isPermanent(error)) throw error;
    return rejectFiles(labelled, [{ path: null, faults: [{ key: null, severity: "error", what: error.message }] }]);
  }
}

/** Handles the label being removed: kernels that are not judged yet are not evaluated. */
export async function onLabelRemoved(work: Work, by: string): Promise<Work> {
  const { state, merge_sha } = work.pull;
  // Also reached when KernelBot removed the label because of a new head.
  if (state !== "evaluating") return work;
  if ((await work.api.pull(work.address)).labels.includes(LABEL)) return work;
  await stopEntries(work);
  const was = `${codeSpan(by)} removed the label, so the evaluation was stopped.`;
  if (merge_sha === null) {
    const notice = `${was} To resume it, a maintainer adds the label ${codeSpan(LABEL)} again.`;
    return updatePull(work, { state: "waiting", labelled_sha: null, notice });
  }
  return updatePull(work, { notice: was });
}

/** Returns all submission files at the commit, and the faults of any. */
async function readFiles(
  { api, address, evaluation }: Work,
  sha: string,
): Promise<{ files: ReadyFile[]; refusals: Refusal[]; others: number }> {
  const { paths, refusals, others } = selectFiles(await api.changedFiles(address));
  const folder = refusals.length === 0 ? await api.folder(address, sha, FOLDER) : [];
  const files: ReadyFile[] = [];
  for (const path of refusals.length === 0 ? paths : []) {
    const found = await readSubmission(api, address, folder, path);
    if (isRefusal(found)) {
      refusals.push(found);
      continue;
    }
    const { file, check } = await evaluation.check(found.text);
    if (file === null) refusals.push({ path, faults: check.faults });
    else files.push({ ...found, file });
  }
  return { files, refusals, others };
}

async function rejectFiles(work: Work, refusals: Refusal[]): Promise<Work> {
  await replaceEntries(work, []);
  return updatePull(work, { state: "refused", refusals: json(refusals) });
}

async function evaluate(work: Work, headSha: string, files: readonly ReadyFile[], others: number): Promise<Work> {
  const ids: number[] = [];
  for (const { path, blobSha, file } of files) {
    const entryId = await work.evaluation.evaluate(file);
    await storeEntry(work, { entryId, path, blobSha, headSha });
    ids.push(entryId);
  }
  await replaceEntries(work, ids);
  const notice = others === 0 ? null : `Other changed files, not read: ${others}.`;
  return updatePull(work, { state: "evaluating", refusals: null, notice });
}
