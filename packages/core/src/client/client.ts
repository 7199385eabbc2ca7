/**
 * Typed client of /api/v1. Its only dependency is `fetch`, so it runs in terminals, scripts and browsers.
 *
 *     const client = createClient({ server: "http://127.0.0.1:8080", token });
 *     const { id } = await client.submit({ board: "vectoradd", targets: ["cpu"], mode: "test", fileName, source });
 *     for await (const { event } of client.events(id)) console.log(event.type);
 *
 * Every response is parsed. Errors are KernelBotErrors: with the detail and code of the server's response, or with code
 * `unavailable` and the server's address if it did not respond.
 */
import type { z } from "zod";
import { ArtifactLink } from "../run/artifact.ts";
import {
  Account,
  AccountList,
  AuditLog,
  DEVICE_GRANT,
  DeviceCode,
  DeviceError,
  DeviceToken,
  NewToken,
  RoleList,
  AccountWeight,
  SignInLink,
  TokenList,
  type RoleChange,
  type WeightChange,
  type Scope,
  type SignInLinkRequest,
  type TokenRequest,
} from "../account/account.ts";
import { BoardList, ClosedProblem, ProblemDetail, ProblemList, SubmissionList } from "../api.ts";
import { Board } from "../board/board.ts";
import { BoardHistory } from "../board/history.ts";
import { ComparedSubmissions } from "../score/compare.ts";
import { SyncReport, type SyncRequest } from "../problem/sync.ts";
import { Team, TeamList } from "../account/team.ts";
import { Competition, CompetitionList, type CompetitionSpec } from "../competition/competition.ts";
import {
  RESPONSE_TIMEOUT_MS,
  connect,
  formRequest,
  jsonRequest,
  LARGE_BODY,
  IDEMPOTENT,
  queryString,
  type ClientOptions,
  type EventsOptions,
} from "./connection.ts";
import { datasetsClient } from "./datasets.ts";
import { ImportResult, type ImportBatch } from "../dataset/import.ts";
import { Anonymity, LicenceChoice, SubmissionConsent } from "../submission/declaration.ts";
import { type AccountLimits, ProblemLimits } from "../submission/limits.ts";
import { LogEvent } from "../submission/event-log.ts";
import { Inspection } from "../moderation/inspection.ts";
import { InviteList, Invites, JoinedCompetitions, RevokedInvite, type InviteRequest } from "../account/invite.ts";
import { kernelbenchClient } from "./kernelbench.ts";
import { KeyList } from "../receipt/keys.ts";
import {
  BanStatus,
  Decision,
  DecisionList,
  ModerationQueue,
  QuarantineItem,
  RerunList,
  type AppealDecisionRequest,
} from "../moderation/moderation.ts";
import { Person } from "../account/person.ts";
import { Launch, LauncherList } from "../runner/launchers.ts";
import { Queue, WaitingRunList } from "../queue/queue.ts";
import { JoinTokenList, RunnerDetail, RunnerList, type RunnerAction } from "../runner/status.ts";
import { RunDetail, Submission, type SubmitRequest } from "../submission/submission.ts";
import {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  type NewWebhook,
} from "../webhook/webhook.ts";

export type Client = ReturnType<typeof createClient>;

/** Creates a client; opens no connection. */
export function createClient(options: ClientOptions) {
  const connection = connect(options);
  const { errorFrom, followEvents, parseResponse, postJson, requestJson, send, sendOnce, streamBytes } = connection;

  /**
   * Yields a submission's events in order, each once, and reconnects after dropped connections. Ends after
   * `submission_finished`.
   */
  async function* events(id: number, options: EventsOptions = {}): AsyncGenerator<LogEvent, void> {
    let last = options.after ?? 0;
    for await (const { data } of followEvents(`/submissions/${id}/events`, options)) {
      const event = LogEvent.parse(JSON.parse(data));
      if (event.id <= last) continue;
      last = event.id;
      yield event;
      if (event.event.type === "submission_finished") return;
    }
  }

  return {
    /**
     * Creates a submission. Requests with the same idempotency key create one submission; the default is a random key.
     */
    submit: (request: SubmitRequest, options: { idempotencyKey?: string | undefined } = {}) =>
      requestJson(Submission, "/submissions", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
        },
        body: JSON.stringify(request),
      }),
    submission: (id: number) => requestJson(Submission, `/submissions/${id}`),
    /** Lists the caller's own submissions, newest first. */
    submissions: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await requestJson(SubmissionList, `/submissions${queryString(options)}`)).submissions,
    source: async (id: number) => (await send(`/submissions/${id}/source`)).text(),
    cancel: (id: number) => requestJson(Submission, `/submissions/${id}/cancel`, { method: "POST" }, IDEMPOTENT),
    /** Removes the caller's own submission from its boards. */
    remove: (id: number) => requestJson(Submission, `/submissions/${id}`, { method: "DELETE" }),
    /** Reports a run on a board to the moderators. */
    report: (runId: number, reason: string) => send(`/runs/${runId}/report`, jsonRequest({ reason })),
    /** Lists moderation decisions about the caller and the caller's submissions, newest first. */
    decisions: async () => (await requestJson(DecisionList, "/decisions")).decisions,
    appeal: (decision: number, text: string) => postJson(Decision, `/decisions/${decision}/appeal`, { text }),
    /** Endpoints for moderators. Reasons are public. */
    moderation: {
      remove: (id: number, reason: string) => postJson(Submission, `/submissions/${id}/remove`, { reason }),
      restore: (id: number, reason: string) => postJson(Submission, `/submissions/${id}/restore`, { reason }),
      ban: (account: string, reason: string) => postJson(BanStatus, "/moderation/ban", { account, reason }),
      /** Queues re-runs on fresh seeds and returns the ids of the new runs. */
      rerun: async (id: number) => (await requestJson(RerunList, `/submissions/${id}/rerun`, { method: "POST" })).runs,
      rerunBoard: async (board: string, target: string, top: number | null, edition?: number) => {
        const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/rerun`;
        return (await postJson(RerunList, path, { top, edition })).runs;
      },
      /** Returns a run with its evidence: samples, review findings and the most similar sources. */
      inspect: (runId: number) => requestJson(Inspection, `/moderation/runs/${runId}`),
      queue: () => requestJson(ModerationQueue, "/moderation/queue"),
      /** Takes a passed ranked run off its board until a moderator decides. */
      flag: (runId: number, reason: string) => postJson(QuarantineItem, `/runs/${runId}/flag`, { reason }),
      accept: (runId: number, reason: string) => postJson(Decision, `/runs/${runId}/accept`, { reason }),
      reject: (runId: number, reason: string) => postJson(Decision, `/runs/${runId}/reject`, { reason }),
      answer: (decision: number, answer: AppealDecisionRequest) =>
        postJson(Decision, `/decisions/${decision}/answer`, answer),
      unban: (account: string, reason: string) => postJson(BanStatus, "/moderation/unban", { account, reason }),
    },
    /** Compares two submissions; the target may be omitted if they have one in common. */
    compare: (a: number, b: number, target?: string) => {
      const query = new URLSearchParams({ a: String(a), b: String(b), ...(target !== undefined && { target }) });
      return requestJson(ComparedSubmissions, `/compare?${query}`);
    },
    /** The caller's own webhooks and their deliveries. */
    webhooks: {
      list: async () => (await requestJson(WebhookList, "/webhooks")).webhooks,
      create: (webhook: NewWebhook) => requestJson(CreatedWebhook, "/webhooks", jsonRequest(webhook)),
      pause: (id: number) => requestJson(Webhook, `/webhooks/${id}/pause`, { method: "POST" }, IDEMPOTENT),
      resume: (id: number) => requestJson(Webhook, `/webhooks/${id}/resume`, { method: "POST" }, IDEMPOTENT),
      test: (id: number) => requestJson(Webhook, `/webhooks/${id}/test`, { method: "POST" }),
      remove: async (id: number): Promise<void> => {
        await send(`/webhooks/${id}`, { method: "DELETE" });
      },
      /** Lists deliveries, newest first. */
      deliveries: async (id: number, limit: number) =>
        (await requestJson(WebhookDeliveryList, `/webhooks/${id}/deliveries?limit=${limit}`)).deliveries,
      redeliver: (id: number, delivery: string) =>
        requestJson(WebhookDelivery, `/webhooks/${id}/deliveries/${encodeURIComponent(delivery)}/redeliver`, {
          method: "POST",
        }),
    },
    /** Creates a download URL of an artifact that needs no token; it expires after 10 minutes by default. */
    artifactLink: (runId: number, name: string, seconds?: number) =>
      postJson(ArtifactLink, `/runs/${runId}/artifacts/${encodeURIComponent(name)}/links`, { seconds }, IDEMPOTENT),
    /** Streams the bytes of an artifact. */
    artifact: (runId: number, name: string) => streamBytes(`/runs/${runId}/artifacts/${encodeURIComponent(name)}`),
    run: (id: number) => requestJson(RunDetail, `/runs/${id}`),
    /** Returns the receipt of a run as signed; the exact text is needed to verify the signature. */
    receipt: async (runId: number) => (await send(`/runs/${runId}/receipt`)).text(),
    /** Lists the public keys with which the server signs receipts, newest first. */
    keys: async () => (await requestJson(KeyList, "/keys")).keys,
    events,
    /** Lists problems; with a competition, its problems, even if it is unlisted. */
    problems: async (competition?: string) =>
      (await requestJson(ProblemList, `/problems${queryString({ competition })}`)).problems,
    problem: (name: string) => requestJson(ProblemDetail, `/problems/${encodeURIComponent(name)}`),
    /** Returns the submission limits of a problem's boards and the caller's remaining allowance. */
    limits: (board: string) => requestJson(ProblemLimits, `/problems/${encodeURIComponent(board)}/limits`),
    /** Raises limits for one account. For organisers. */
    raiseLimits: async (raised: z.input<typeof AccountLimits>): Promise<void> => {
      await send("/admin/limits", { ...jsonRequest(raised), method: "PUT" });
    },
    /** Imports the problems of a directory tree, or returns what would change (dry run). For organisers. */
    syncProblems: (request: z.input<typeof SyncRequest>) =>
      requestJson(SyncReport, "/problems/sync", jsonRequest(request), { ...IDEMPOTENT, ...LARGE_BODY }),
    /** Stops accepting ranked submissions and publishes the seeds. For administrators. */
    closeProblem: (name: string) =>
      requestJson(ClosedProblem, `/problems/${encodeURIComponent(name)}/close`, { method: "POST" }, IDEMPOTENT),
    /** Returns the caller's own account and the scopes of the caller's token. */
    account: () => requestJson(Account, "/account"),
    /** Revokes the caller's token. */
    signOut: async (): Promise<void> => {
      await send("/sign-out", { method: "POST" });
    },
    tokens: async () => (await requestJson(TokenList, "/tokens")).tokens,
    createToken: (request: z.input<typeof TokenRequest>) => requestJson(NewToken, "/tokens", jsonRequest(request)),
    revokeToken: async (id: number): Promise<void> => {
      await send(`/tokens/${id}/revoke`, { method: "POST" }, IDEMPOTENT);
    },
    /** Starts a device sign-in (RFC 8628); a person confirms the code in a browser. */
    askForDevice: (scopes: readonly Scope[]) =>
      requestJson(DeviceCode, "/device/code", formRequest({ scope: scopes.join(" ") })),
    /** Returns the token once the code was confirmed, else the reason why there is none yet. */
    pollDevice: async (code: string): Promise<DeviceToken | DeviceError> => {
      const init = {
        ...formRequest({ grant_type: DEVICE_GRANT, device_code: code }),
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      };
      const response = await sendOnce("/device/token", init);
      if (response.status !== 400 && !response.ok) throw await errorFrom(response);
      return parseResponse(response.ok ? DeviceToken : DeviceError, "/device/token", response);
    },
    /** Imports rows from another platform; repeating a batch has no effect. For administrators. */
    importBatch: (batch: ImportBatch) =>
      requestJson(ImportResult, "/datasets/import", jsonRequest(batch), { ...IDEMPOTENT, timeoutMs: 120_000 }),
    /** Lists accounts by name. For administrators, like the endpoints that follow. */
    accounts: async (options: { after?: string | undefined; limit?: number | undefined } = {}) =>
      (await requestJson(AccountList, `/admin/accounts${queryString(options)}`)).accounts,
    changeRoles: async (name: string, change: RoleChange) =>
      (
        await requestJson(
          RoleList,
          `/admin/accounts/${encodeURIComponent(name)}/roles`,
          jsonRequest(change),
          IDEMPOTENT,
        )
      ).roles,
    changeWeight: (name: string, change: WeightChange) =>
      requestJson(AccountWeight, `/admin/accounts/${encodeURIComponent(name)}/weight`, jsonRequest(change), IDEMPOTENT),
    signInLink: (request: z.input<typeof SignInLinkRequest>) =>
      requestJson(SignInLink, "/admin/sign-in-links", jsonRequest(request)),
    /** Lists actions taken with the rights of a role, newest first. */
    audit: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await requestJson(AuditLog, `/admin/audit${queryString(options)}`)).entries,
    /** Returns the public profile of an account. */
    person: (id: string) => requestJson(Person, `/accounts/${encodeURIComponent(id)}`),
    /** Returns the queued and running runs of each target and its runners. */
    queue: () => requestJson(Queue, "/queue"),
    /** Lists queued runs by target. For administrators, like the endpoints that follow. */
    waiting: async (limit: number) => (await requestJson(WaitingRunList, `/queue/runs?limit=${limit}`)).runs,
    launchers: () => requestJson(LauncherList, "/launchers"),
    /** Ends a launch through its service; its runner's runs return to the queue. */
    endLaunch: (name: string) =>
      requestJson(Launch, `/launches/${encodeURIComponent(name)}/end`, { method: "POST" }, IDEMPOTENT),

    runners: async () => (await requestJson(RunnerList, "/runners")).runners,
    runner: (id: number) => requestJson(RunnerDetail, `/runners/${id}`),
    /** Pauses or drains a runner with a reason, or resumes it. */
    changeRunner: (id: number, change: RunnerAction, reason?: string) =>
      requestJson(
        RunnerDetail,
        `/runners/${id}/${change}`,
        change === "resume" ? { method: "POST" } : jsonRequest({ reason }),
        IDEMPOTENT,
      ),
    /** Revokes the token with which a runner joined. */
    revokeRunner: async (id: number): Promise<void> => {
      await send(`/runners/${id}/revoke`, { method: "POST" }, IDEMPOTENT);
    },
    /** Lists the runner tokens of all accounts. */
    joinTokens: async () => (await requestJson(JoinTokenList, "/runner-tokens")).tokens,
    revokeJoinToken: async (id: number): Promise<void> => {
      await send(`/runner-tokens/${id}/revoke`, { method: "POST" }, IDEMPOTENT);
    },
    boards: async (competition?: string) =>
      (await requestJson(BoardList, `/boards${queryString({ competition })}`)).boards,
    /**
     * Returns a board in its current revision, or in an earlier one if `edition` is given.
     * @param unfrozen Include entries hidden by a freeze; for moderators and organisers of the competition.
     */
    board: (board: string, target: string, unfrozen = false, edition?: number) =>
      requestJson(
        Board,
        `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}${queryString({ ...(unfrozen && { unfrozen }), edition })}`,
      ),
    /** Returns the records of a board; with entrants (see `entrantOf`), their entries as well. */
    boardHistory: (board: string, target: string, entrants: readonly string[] = []) => {
      const asked = new URLSearchParams(entrants.map((entrant) => ["entrant", entrant]));
      const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/history`;
      return requestJson(BoardHistory, asked.size === 0 ? path : `${path}?${asked.toString()}`);
    },
    competitions: async () => (await requestJson(CompetitionList, "/competitions")).competitions,
    competition: (name: string) => requestJson(Competition, `/competitions/${encodeURIComponent(name)}`),
    createCompetition: (spec: CompetitionSpec) => requestJson(Competition, "/competitions", jsonRequest(spec)),
    changeCompetition: (spec: CompetitionSpec) =>
      requestJson(Competition, `/competitions/${encodeURIComponent(spec.name)}`, {
        ...jsonRequest(spec),
        method: "PUT",
      }),
    createInvites: (request: InviteRequest) => requestJson(Invites, "/invites", jsonRequest(request)),
    invites: async (competition: string) =>
      (await requestJson(InviteList, `/competitions/${encodeURIComponent(competition)}/invites`)).invites,
    revokeInvite: (code: string) => requestJson(RevokedInvite, "/invites/revoke", jsonRequest({ code })),
    /** Lists the teams of a competition; the caller's own team includes its join code. */
    teams: async (competition: string) => (await requestJson(TeamList, teamsOf(competition))).teams,
    makeTeam: (competition: string, name: string) => requestJson(Team, teamsOf(competition), jsonRequest({ name })),
    joinTeam: (competition: string, code: string) => postJson(Team, `${teamsOf(competition)}/join`, { code }),
    leaveTeam: (competition: string) => send(`${teamsOf(competition)}/leave`, { method: "POST" }),
    renameTeam: (competition: string, name: string) => postJson(Team, `${teamsOf(competition)}/rename`, { name }),
    /** Removes a member from a team. For organisers of the competition and moderators. */
    removeFromTeam: (competition: string, account: string) =>
      send(`${teamsOf(competition)}/remove`, jsonRequest({ account })),
    /** Joins the competitions of an invite code. */
    join: (code: string) => requestJson(JoinedCompetitions, "/invites/claim", jsonRequest({ code })),
    /** Returns the default licence of the caller's new submissions. */
    licence: () => requestJson(LicenceChoice, "/account/licence"),
    chooseLicence: (choice: LicenceChoice) =>
      requestJson(LicenceChoice, "/account/licence", { ...jsonRequest(choice), method: "PUT" }),
    /** Returns whether published data shows the caller's name, unless a submission overrides that. */
    anonymity: () => requestJson(Anonymity, "/account/anonymity"),
    chooseAnonymity: (choice: Anonymity) =>
      requestJson(Anonymity, "/account/anonymity", { ...jsonRequest(choice), method: "PUT" }),
    /** Returns the publication settings of one of the caller's submissions. */
    consent: (id: number) => requestJson(SubmissionConsent, `/submissions/${id}/licence`),
    /** Permits the publication of one of the caller's submissions, or withdraws the permission. */
    licenseSubmission: (id: number, choice: SubmissionConsent) =>
      requestJson(Submission, `/submissions/${id}/licence`, { ...jsonRequest(choice), method: "PUT" }),
    kernelbench: kernelbenchClient(connection),
    datasets: datasetsClient(connection),
  };
}

function teamsOf(competition: string): string {
  return `/competitions/${encodeURIComponent(competition)}/teams`;
}
