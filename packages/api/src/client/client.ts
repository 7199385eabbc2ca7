/**
 * Typed client of /api/v1: each method calls a contract. Its only dependency is `fetch`, so it runs in terminals,
 * scripts and browsers. Every response is parsed. Errors are KernelBotErrors: with the detail and code of the server's
 * response, or with code `unavailable` and the server's address if it did not respond.
 *
 * @example
 * const client = createClient({ server: "http://127.0.0.1:8080", token });
 * const { id } = await client.submit({ board: "vectoradd", targets: ["cpu"], mode: "test", fileName, source });
 * for await (const { event } of client.events(id)) console.log(event.type);
 */
import {
  DEVICE_GRANT,
  LogEvent,
  type AccountLimits,
  type Anonymity,
  type AppealDecisionRequest,
  type AuditExport,
  type CompetitionSpec,
  type DeviceError,
  type DeviceToken,
  type ImportBatch,
  type InviteLinkRequest,
  type InviteRequest,
  type LateEntryRequest,
  type LicenceChoice,
  type NewWebhook,
  type RoleChange,
  type RunnerAction,
  type Scope,
  type SignInLinkRequest,
  type SubmissionConsent,
  type SubmitRequest,
  type SyncRequest,
  type TokenRequest,
  type WeightChange,
} from "@kernelbot/core";
import type { z } from "zod";
import { api } from "../api.ts";
import {
  connect,
  RESPONSE_TIMEOUT_MS,
  type CallOptions,
  type ClientOptions,
  type EventsOptions,
} from "./connection.ts";
import { datasetsClient } from "./datasets.ts";
import { evaluationSessionsClient } from "./evaluation-sessions.ts";
import { evaluationsClient } from "./evaluations.ts";
import { kernelbenchClient } from "./kernelbench.ts";
import { personalDataClient } from "./personal-data.ts";

export type Client = ReturnType<typeof createClient>;

/** Creates a client; opens no connection. */
export function createClient(options: ClientOptions) {
  const connection = connect(options);
  const { errorFrom, followEvents, parseResponse, request, send, sendOnce, streamBytes } = connection;

  /**
   * Yields a submission's events in order, each once, and reconnects after dropped connections. Ends after
   * `submission_finished`.
   */
  async function* events(id: number, options: EventsOptions = {}): AsyncGenerator<LogEvent, void> {
    let last = options.after ?? 0;
    for await (const { data } of followEvents(api.submissions.events, { params: { id } }, options)) {
      const event = LogEvent.parse(JSON.parse(data));
      if (event.id <= last) continue;
      last = event.id;
      yield event;
      if (event.event.type === "submission_finished") return;
    }
  }

  return {
    /** Calls the contract of an optional feature. */
    request,
    /**
     * Creates a submission. Requests with the same idempotency key create one submission; the default is a random key.
     */
    submit: (body: SubmitRequest, { idempotencyKey }: Pick<CallOptions, "idempotencyKey"> = {}) =>
      request(api.submissions.submit, { body }, { idempotencyKey }),
    submission: (id: number) => request(api.submissions.get, { params: { id } }),
    /** Lists the caller's own submissions, newest first. */
    submissions: async (query: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await request(api.submissions.list, { query })).submissions,
    source: async (id: number) => (await send(api.submissions.source, { params: { id } })).text(),
    cancel: (id: number) => request(api.submissions.cancel, { params: { id } }),
    /** Removes the caller's own submission from its boards. */
    remove: (id: number) => request(api.submissions.withdraw, { params: { id } }),
    /** Reports a run on a board to the moderators. */
    report: (id: number, reason: string) => request(api.moderation.reportRun, { params: { id }, body: { reason } }),
    /** Lists moderation decisions about the caller and the caller's submissions, newest first. */
    decisions: async () => (await request(api.moderation.decisions, {})).decisions,
    appeal: (id: number, text: string) => request(api.moderation.appeal, { params: { id }, body: { text } }),
    /** Endpoints for moderators. Reasons are public. */
    /** Enters a ranked submission for an account after the deadline. For organisers of the competition. */
    enterLate: (body: LateEntryRequest) => request(api.submissions.enterLate, { body }),

    moderation: {
      remove: (id: number, reason: string) =>
        request(api.moderation.removeSubmission, { params: { id }, body: { reason } }),
      restore: (id: number, reason: string) =>
        request(api.moderation.restoreSubmission, { params: { id }, body: { reason } }),
      ban: (account: string, reason: string) => request(api.moderation.ban, { body: { account, reason } }),
      unban: (account: string, reason: string) => request(api.moderation.unban, { body: { account, reason } }),
      /** Queues re-runs on fresh seeds and returns the ids of the new runs. */
      rerun: async (id: number) => (await request(api.moderation.rerunSubmission, { params: { id } })).runs,
      rerunBoard: async (board: string, target: string, top: number | null, revision?: number) =>
        (await request(api.boards.rerun, { params: { board, target }, body: { top, revision } })).runs,
      /** Queues runs of a board's kernels in the problem's application, and returns their ids. */
      checkInUse: async (board: string, target: string, top: number | null, again: boolean) =>
        (await request(api.boards.checkInUse, { params: { board, target }, body: { top, again } })).runs,
      /** Returns a run with its evidence: samples, review findings and the most similar sources. */
      inspect: (id: number) => request(api.moderation.inspectRun, { params: { id } }),
      queue: () => request(api.moderation.queue, {}),
      /** Takes a passed ranked run off its board until a moderator decides. */
      flag: (id: number, reason: string) => request(api.moderation.flagRun, { params: { id }, body: { reason } }),
      accept: (id: number, reason: string) => request(api.moderation.acceptRun, { params: { id }, body: { reason } }),
      reject: (id: number, reason: string) => request(api.moderation.rejectRun, { params: { id }, body: { reason } }),
      answer: (id: number, body: AppealDecisionRequest) =>
        request(api.moderation.decideAppeal, { params: { id }, body }),
    },
    /** Compares two submissions; the target may be omitted if they have one in common. */
    compare: (a: number, b: number, target?: string) => request(api.submissions.compare, { query: { a, b, target } }),
    /** The caller's own webhooks and their deliveries. */
    webhooks: {
      list: async () => (await request(api.webhooks.list, {})).webhooks,
      create: (body: NewWebhook) => request(api.webhooks.create, { body }),
      pause: (id: number) => request(api.webhooks.pause, { params: { id } }),
      resume: (id: number) => request(api.webhooks.resume, { params: { id } }),
      test: (id: number) => request(api.webhooks.test, { params: { id } }),
      remove: (id: number) => request(api.webhooks.remove, { params: { id } }),
      /** Lists deliveries, newest first. */
      deliveries: async (id: number, limit: number) =>
        (await request(api.webhooks.deliveries, { params: { id }, query: { limit } })).deliveries,
      redeliver: (id: number, delivery: string) => request(api.webhooks.redeliver, { params: { id, delivery } }),
    },
    /** Creates a download URL of an artifact that needs no token; it expires after 10 minutes by default. */
    artifactLink: (id: number, name: string, seconds?: number) =>
      request(api.runs.linkArtifact, { params: { id, name }, body: { seconds } }),
    /** Streams the bytes of an artifact. */
    artifact: (id: number, name: string) => streamBytes(api.runs.artifact, { params: { id, name } }),
    /** Returns the summarized profile of a submission. */
    profile: (id: number) => request(api.submissions.profile, { params: { id } }),
    run: (id: number) => request(api.runs.get, { params: { id } }),
    /** Returns the receipt of a run as signed; the exact text is needed to verify the signature. */
    receipt: async (id: number) => (await send(api.runs.receipt, { params: { id } })).text(),
    /** Lists the public keys with which the server signs receipts, newest first. */
    keys: async () => (await request(api.runs.keys, {})).keys,
    events,
    /** Lists problems; with a competition, its problems, even if it is unlisted. */
    problems: async (query: z.input<typeof api.problems.list.query> = {}) =>
      (await request(api.problems.list, { query })).problems,
    problem: (name: string) => request(api.problems.get, { params: { name } }),
    /** Returns the submission limits of a problem's boards and the caller's remaining allowance. */
    limits: (name: string) => request(api.problems.limits, { params: { name } }),
    /** Raises limits for one account. For organisers. */
    raiseLimits: (body: z.input<typeof AccountLimits>) => request(api.accounts.raiseLimits, { body }),
    /** Imports the problems of a directory tree, or returns what would change (dry run). For organisers. */
    syncProblems: (body: z.input<typeof SyncRequest>) => request(api.problems.sync, { body }),
    /** Stops accepting ranked submissions and publishes the seeds. For administrators. */
    closeProblem: (name: string) => request(api.problems.close, { params: { name } }),
    /** Returns the caller's own account and the scopes of the caller's token. */
    account: () => request(api.account.get, {}),
    personalData: personalDataClient(connection),
    /** Revokes the caller's token. */
    signOut: () => request(api.account.signOut, {}),
    tokens: async () => (await request(api.tokens.list, {})).tokens,
    createToken: (body: z.input<typeof TokenRequest>) => request(api.tokens.create, { body }),
    revokeToken: (id: number) => request(api.tokens.revoke, { params: { id } }),
    /** Starts a device sign-in (RFC 8628); a person confirms the code in a browser. */
    askForDevice: (scopes: readonly Scope[]) => request(api.device.requestCode, { body: { scope: scopes.join(" ") } }),
    /** Returns the token once the code was confirmed, else the reason why there is none yet. */
    pollDevice: async (code: string): Promise<DeviceToken | DeviceError> => {
      const contract = api.device.pollToken;
      const response = await sendOnce(
        contract,
        { body: { grant_type: DEVICE_GRANT, device_code: code } },
        { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) },
      );
      if (response.status !== 400 && !response.ok) throw await errorFrom(response);
      return parseResponse(contract.answers[response.ok ? 200 : 400].schema, contract, response);
    },
    /** Imports rows from another platform; repeating a batch has no effect. For administrators. */
    importBatch: (body: ImportBatch) => request(api.datasets.import, { body }),
    /** Lists accounts by name. For administrators, like the endpoints that follow. */
    accounts: async (query: { after?: string | undefined; limit?: number | undefined } = {}) =>
      (await request(api.accounts.list, { query })).accounts,
    changeRoles: async (name: string, body: RoleChange) =>
      (await request(api.accounts.changeRoles, { params: { name }, body })).roles,
    changeWeight: (name: string, body: WeightChange) => request(api.accounts.changeWeight, { params: { name }, body }),
    signInLink: (body: z.input<typeof SignInLinkRequest>) => request(api.accounts.createSignInLink, { body }),
    /** Lists actions taken with the rights of a role, newest first. */
    audit: async (query: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await request(api.accounts.audit, { query })).entries,
    /** Streams the audit log, oldest first, as NDJSON or CSV. For administrators. */
    exportAudit: (query: z.input<typeof AuditExport>) => streamBytes(api.accounts.exportAudit, { query }),
    /** Returns the public profile of an account. */
    person: (id: string) => request(api.people.get, { params: { id } }),
    /** Returns the queued and running runs of each target and its runners. */
    queue: () => request(api.queue.get, {}),
    /** Lists queued runs by target. For administrators, like the endpoints that follow. */
    waiting: async (limit: number) => (await request(api.queue.runs, { query: { limit } })).runs,
    launchers: () => request(api.launchers.list, {}),
    /** Ends a launch through its service; its runner's runs return to the queue. */
    endLaunch: (name: string) => request(api.launchers.endLaunch, { params: { name } }),
    runners: async () => (await request(api.runners.list, {})).runners,
    runner: (id: number) => request(api.runners.get, { params: { id } }),
    /** Pauses or drains a runner with a reason, or resumes it. */
    changeRunner: (id: number, change: RunnerAction, reason = "") =>
      change === "resume"
        ? request(api.runners.resume, { params: { id } })
        : request(api.runners[change], { params: { id }, body: { reason } }),
    /** Revokes the token with which a runner joined. */
    revokeRunner: (id: number) => request(api.runners.revoke, { params: { id } }),
    /** Lists the runner tokens of all accounts. */
    joinTokens: async () => (await request(api.runners.tokens, {})).tokens,
    revokeJoinToken: (id: number) => request(api.runners.revokeToken, { params: { id } }),
    boards: async (competition?: string) => (await request(api.boards.list, { query: { competition } })).boards,
    /**
     * Returns a board in its current revision, or in an earlier one if `revision` is given.
     * @param unfrozen Include entries hidden by a freeze; for moderators and organisers of the competition.
     */
    board: (board: string, target: string, unfrozen = false, revision?: number) =>
      request(api.boards.get, {
        params: { board, target },
        query: { unfrozen: unfrozen ? "true" : undefined, revision },
      }),
    /** Returns the records of a board; with entrants (see `entrantOf`), their entries as well. */
    boardHistory: (board: string, target: string, entrants: readonly string[] = []) =>
      request(api.boards.history, { params: { board, target }, query: { entrant: entrants } }),
    competitions: async () => (await request(api.competitions.list, {})).competitions,
    competition: (name: string) => request(api.competitions.get, { params: { name } }),
    createCompetition: (body: CompetitionSpec) => request(api.competitions.create, { body }),
    changeCompetition: (body: CompetitionSpec) =>
      request(api.competitions.change, { params: { name: body.name }, body }),
    createInvites: (body: InviteRequest) => request(api.invites.create, { body }),
    invites: async (name: string) => (await request(api.invites.list, { params: { name } })).invites,
    revokeInvite: (code: string) => request(api.invites.revoke, { body: { code } }),
    createInviteLink: (name: string, body: z.input<typeof InviteLinkRequest>) =>
      request(api.invites.createLink, { params: { name }, body }),
    inviteLinks: async (name: string) => (await request(api.invites.listLinks, { params: { name } })).links,
    revokeInviteLink: (name: string, id: number) => request(api.invites.revokeLink, { params: { name, id } }),
    /** Joins the competitions of an invite code, or of an invite link by the last part of its address. */
    join: (code: string) => request(api.invites.claim, { body: { code } }),
    /** Lists the teams of a competition; the caller's own team includes its join code. */
    teams: async (competition: string) => (await request(api.teams.list, { params: { name: competition } })).teams,
    makeTeam: (competition: string, name: string) =>
      request(api.teams.create, { params: { name: competition }, body: { name } }),
    joinTeam: (competition: string, code: string) =>
      request(api.teams.join, { params: { name: competition }, body: { code } }),
    leaveTeam: (competition: string) => request(api.teams.leave, { params: { name: competition } }),
    renameTeam: (competition: string, name: string) =>
      request(api.teams.rename, { params: { name: competition }, body: { name } }),
    /** Removes a member from a team. For organisers of the competition and moderators. */
    removeFromTeam: (competition: string, account: string) =>
      request(api.teams.removeMember, { params: { name: competition }, body: { account } }),
    /** Returns the default licence of the caller's new submissions. */
    licence: () => request(api.account.licence, {}),
    chooseLicence: (body: LicenceChoice) => request(api.account.chooseLicence, { body }),
    /** Returns whether published data shows the caller's name, unless a submission overrides that. */
    anonymity: () => request(api.account.anonymity, {}),
    chooseAnonymity: (body: Anonymity) => request(api.account.chooseAnonymity, { body }),
    /** Returns the publication settings of one of the caller's submissions. */
    consent: (id: number) => request(api.submissions.consent, { params: { id } }),
    /** Permits the publication of one of the caller's submissions, or withdraws the permission. */
    licenseSubmission: (id: number, body: SubmissionConsent) =>
      request(api.submissions.changeConsent, { params: { id }, body }),
    evaluations: evaluationsClient(connection),
    sessions: evaluationSessionsClient(connection),
    kernelbench: kernelbenchClient(connection),
    datasets: datasetsClient(connection),
  };
}
