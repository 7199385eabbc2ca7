/** Updates the comment and the commit status when they differ from the stored state. */
import { createHash } from "node:crypto";
import { formatComment, MARK, statusOf } from "./comment.ts";
import { unlessPermanent } from "./permanent.ts";
import { updatePull, type EntryStatus, type Work } from "./pull-state.ts";

/**
 * Writes both. When GitHub refuses one of them, such as the comment on a locked pull request, the other one is still
 * written.
 */
export async function publishStatus(work: Work, followed: readonly EntryStatus[]): Promise<void> {
  const { log } = work.database;
  const comment = publishComment(work, formatComment(work.pull, followed, work.publicUrl));
  const commented = await unlessPermanent(comment, log, "GitHub rejected the comment");
  const status = publishCommitStatus(commented ?? work, followed, commented !== null);
  await unlessPermanent(status, log, "GitHub rejected the commit status");
}

async function publishComment(work: Work, body: string): Promise<Work> {
  const { api, address, pull } = work;
  const hash = createHash("sha256").update(body).digest("hex");
  if (pull.comment_hash === hash) return work;
  // A comment that was posted by a server that ended before it stored the id is found by its mark.
  const known = pull.comment_id ?? (await api.findComment(address, MARK));
  const isThere = known !== null && (await api.editComment(address, known, body));
  return updatePull(work, { comment_id: isThere ? known : await api.addComment(address, body), comment_hash: hash });
}

async function publishCommitStatus(work: Work, followed: readonly EntryStatus[], hasComment: boolean): Promise<Work> {
  const { api, address, pull, publicUrl } = work;
  const { state, description } = statusOf(pull, followed, hasComment);
  const sent = `${pull.head_sha} ${state} ${description}`;
  if (pull.status_sent === sent) return work;
  const [first] = followed;
  const target_url = first === undefined ? publicUrl : `${publicUrl}/kernelbench/entries/${first.row.entry_id}`;
  await api.setStatus(address, pull.head_sha, { state, description, target_url });
  return updatePull(work, { status_sent: sent });
}
