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
  WeightStanding,
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
  ANSWER_MS,
  connect,
  form,
  json,
  LARGE,
  NO_RETRY,
  query,
  type ClientOptions,
  type EventsOptions,
} from "./connection.ts";
import { datasetsClient } from "./datasets.ts";
import { ImportAnswer, type ImportBatch } from "../dataset/import.ts";
import { Anonymity, LicenceChoice, SubmissionConsent } from "../submission/declaration.ts";
import { type AccountLimits, ProblemLimits } from "../submission/limits.ts";
import { LogEvent } from "../submission/event-log.ts";
import { Inspection } from "../moderation/inspection.ts";
import { InviteList, Invites, Joined, RevokedInvite, type InviteRequest } from "../account/invite.ts";
import { kernelbenchClient } from "./kernelbench.ts";
import { KeyList } from "../receipt/keys.ts";
import {
  BanStanding,
  Decision,
  DecisionList,
  ModerationQueue,
  QuarantineItem,
  RerunList,
  type AnswerRequest,
} from "../moderation/moderation.ts";
import { Person } from "../account/person.ts";
import { Launch, LauncherList } from "../runner/launchers.ts";
import { Queue, WaitingRunList } from "../queue/queue.ts";
import { JoinTokenList, RunnerDetail, RunnerList, type StandingChange } from "../runner/status.ts";
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
  const { ask, follow, once, post, refused, send, shaped, stream } = connection;

  /**
   * Yields a submission's events in order, each once, and reconnects after dropped connections. Ends after
   * `submission_finished`.
   */
  async function* events(id: number, options: EventsOptions = {}): AsyncGenerator<LogEvent, void> {
    let last = options.after ?? 0;
    for await (const { data } of follow(`/submissions/${id}/events`, options)) {
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
      ask(Submission, "/submissions", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
        },
        body: JSON.stringify(request),
      }),
    submission: (id: number) => ask(Submission, `/submissions/${id}`),
    /** Lists the caller's own submissions, newest first. */
    submissions: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await ask(SubmissionList, `/submissions${query(options)}`)).submissions,
    source: async (id: number) => (await send(`/submissions/${id}/source`)).text(),
    cancel: (id: number) => ask(Submission, `/submissions/${id}/cancel`, { method: "POST" }),
    /** Removes the caller's own submission from its boards. */
    remove: (id: number) => ask(Submission, `/submissions/${id}`, { method: "DELETE" }),
    /** Reports a run on a board to the moderators. */
    report: (runId: number, reason: string) => send(`/runs/${runId}/report`, json({ reason })),
    /** Lists moderation decisions about the caller and the caller's submissions, newest first. */
    decisions: async () => (await ask(DecisionList, "/decisions")).decisions,
    appeal: (decision: number, text: string) => post(Decision, `/decisions/${decision}/appeal`, { text }),
    /** Endpoints for moderators. Reasons are public. */
    moderation: {
      remove: (id: number, reason: string) => post(Submission, `/submissions/${id}/remove`, { reason }),
      restore: (id: number, reason: string) => post(Submission, `/submissions/${id}/restore`, { reason }),
      ban: (account: string, reason: string) => post(BanStanding, "/moderation/ban", { account, reason }),
      /** Queues re-runs on fresh seeds and returns the ids of the new runs. */
      rerun: async (id: number) => (await ask(RerunList, `/submissions/${id}/rerun`, { method: "POST" })).runs,
      rerunBoard: async (board: string, target: string, top: number | null, edition?: number) => {
        const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/rerun`;
        return (await post(RerunList, path, { top, edition })).runs;
      },
      /** Returns a run with its evidence: samples, review findings and the most similar sources. */
      inspect: (runId: number) => ask(Inspection, `/moderation/runs/${runId}`),
      queue: () => ask(ModerationQueue, "/moderation/queue"),
      /** Takes a passed ranked run off its board until a moderator decides. */
      flag: (runId: number, reason: string) => post(QuarantineItem, `/runs/${runId}/flag`, { reason }),
      accept: (runId: number, reason: string) => post(Decision, `/runs/${runId}/accept`, { reason }),
      reject: (runId: number, reason: string) => post(Decision, `/runs/${runId}/reject`, { reason }),
      answer: (decision: number, answer: AnswerRequest) => post(Decision, `/decisions/${decision}/answer`, answer),
      unban: (account: string, reason: string) => post(BanStanding, "/moderation/unban", { account, reason }),
    },
    /** Compares two submissions; the target may be omitted if they have one in common. */
    compare: (a: number, b: number, target?: string) => {
      const query = new URLSearchParams({ a: String(a), b: String(b), ...(target !== undefined && { target }) });
      return ask(ComparedSubmissions, `/compare?${query}`);
    },
    /** The caller's own webhooks and their deliveries. */
    webhooks: {
      list: async () => (await ask(WebhookList, "/webhooks")).webhooks,
      create: (webhook: NewWebhook) => ask(CreatedWebhook, "/webhooks", json(webhook), NO_RETRY),
      pause: (id: number) => ask(Webhook, `/webhooks/${id}/pause`, { method: "POST" }),
      resume: (id: number) => ask(Webhook, `/webhooks/${id}/resume`, { method: "POST" }),
      test: (id: number) => ask(Webhook, `/webhooks/${id}/test`, { method: "POST" }),
      remove: async (id: number): Promise<void> => {
        await send(`/webhooks/${id}`, { method: "DELETE" });
      },
      /** Lists deliveries, newest first. */
      deliveries: async (id: number, limit: number) =>
        (await ask(WebhookDeliveryList, `/webhooks/${id}/deliveries?limit=${limit}`)).deliveries,
      redeliver: (id: number, delivery: string) =>
        ask(WebhookDelivery, `/webhooks/${id}/deliveries/${encodeURIComponent(delivery)}/redeliver`, {
          method: "POST",
        }),
    },
    /** Creates a download URL of an artifact that needs no token; it expires after 10 minutes by default. */
    artifactLink: (runId: number, name: string, seconds?: number) =>
      post(ArtifactLink, `/runs/${runId}/artifacts/${encodeURIComponent(name)}/links`, { seconds }),
    /** Streams the bytes of an artifact. */
    artifact: (runId: number, name: string) => stream(`/runs/${runId}/artifacts/${encodeURIComponent(name)}`),
    run: (id: number) => ask(RunDetail, `/runs/${id}`),
    /** Returns the receipt of a run as signed; the exact text is needed to verify the signature. */
    receipt: async (runId: number) => (await send(`/runs/${runId}/receipt`)).text(),
    /** Lists the public keys with which the server signs receipts, newest first. */
    keys: async () => (await ask(KeyList, "/keys")).keys,
    events,
    /** Lists problems; with a competition, its problems, even if it is unlisted. */
    problems: async (competition?: string) => (await ask(ProblemList, `/problems${query({ competition })}`)).problems,
    problem: (name: string) => ask(ProblemDetail, `/problems/${encodeURIComponent(name)}`),
    /** Returns the submission limits of a problem's boards and the caller's remaining allowance. */
    limits: (board: string) => ask(ProblemLimits, `/problems/${encodeURIComponent(board)}/limits`),
    /** Raises limits for one account. For organisers. */
    raiseLimits: async (raised: z.input<typeof AccountLimits>): Promise<void> => {
      await send("/admin/limits", { ...json(raised), method: "PUT" });
    },
    /** Imports the problems of a directory tree, or returns what would change (dry run). For organisers. */
    syncProblems: (request: z.input<typeof SyncRequest>) => ask(SyncReport, "/problems/sync", json(request), LARGE),
    /** Stops accepting ranked submissions and publishes the seeds. For administrators. */
    closeProblem: (name: string) =>
      ask(ClosedProblem, `/problems/${encodeURIComponent(name)}/close`, { method: "POST" }),
    /** Returns the caller's own account and the scopes of the caller's token. */
    account: () => ask(Account, "/account"),
    /** Revokes the caller's token. */
    signOut: async (): Promise<void> => {
      await send("/sign-out", { method: "POST" });
    },
    tokens: async () => (await ask(TokenList, "/tokens")).tokens,
    createToken: (request: z.input<typeof TokenRequest>) => ask(NewToken, "/tokens", json(request), NO_RETRY),
    revokeToken: async (id: number): Promise<void> => {
      await send(`/tokens/${id}/revoke`, { method: "POST" });
    },
    /** Starts a device sign-in (RFC 8628); a person confirms the code in a browser. */
    askForDevice: (scopes: readonly Scope[]) =>
      ask(DeviceCode, "/device/code", form({ scope: scopes.join(" ") }), NO_RETRY),
    /** Returns the token once the code was confirmed, else the reason why there is none yet. */
    pollDevice: async (code: string): Promise<DeviceToken | DeviceError> => {
      const init = { ...form({ grant_type: DEVICE_GRANT, device_code: code }), signal: AbortSignal.timeout(ANSWER_MS) };
      const response = await once("/device/token", init);
      if (response.status !== 400 && !response.ok) throw await refused(response);
      return shaped(response.ok ? DeviceToken : DeviceError, "/device/token", response);
    },
    /** Imports rows from another platform; repeating a batch has no effect. For administrators. */
    importBatch: (batch: ImportBatch) => ask(ImportAnswer, "/datasets/import", json(batch), { withinMs: 120_000 }),
    /** Lists accounts by name. For administrators, like the endpoints that follow. */
    accounts: async (options: { after?: string | undefined; limit?: number | undefined } = {}) =>
      (await ask(AccountList, `/admin/accounts${query(options)}`)).accounts,
    changeRoles: async (name: string, change: RoleChange) =>
      (await ask(RoleList, `/admin/accounts/${encodeURIComponent(name)}/roles`, json(change))).roles,
    changeWeight: (name: string, change: WeightChange) =>
      ask(WeightStanding, `/admin/accounts/${encodeURIComponent(name)}/weight`, json(change)),
    signInLink: (request: z.input<typeof SignInLinkRequest>) =>
      ask(SignInLink, "/admin/sign-in-links", json(request), NO_RETRY),
    /** Lists actions taken with the rights of a role, newest first. */
    audit: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await ask(AuditLog, `/admin/audit${query(options)}`)).entries,
    /** Returns the public profile of an account. */
    person: (id: string) => ask(Person, `/accounts/${encodeURIComponent(id)}`),
    /** Returns the queued and running runs of each target and its runners. */
    queue: () => ask(Queue, "/queue"),
    /** Lists queued runs by target. For administrators, like the endpoints that follow. */
    waiting: async (limit: number) => (await ask(WaitingRunList, `/queue/runs?limit=${limit}`)).runs,
    launchers: () => ask(LauncherList, "/launchers"),
    /** Ends a launch through its service; its runner's runs return to the queue. */
    endLaunch: (name: string) => ask(Launch, `/launches/${encodeURIComponent(name)}/end`, { method: "POST" }),

    runners: async () => (await ask(RunnerList, "/runners")).runners,
    runner: (id: number) => ask(RunnerDetail, `/runners/${id}`),
    /** Pauses or drains a runner with a reason, or resumes it. */
    changeRunner: (id: number, change: StandingChange, reason?: string) =>
      ask(RunnerDetail, `/runners/${id}/${change}`, change === "resume" ? { method: "POST" } : json({ reason })),
    /** Revokes the token with which a runner joined. */
    revokeRunner: async (id: number): Promise<void> => {
      await send(`/runners/${id}/revoke`, { method: "POST" });
    },
    /** Lists the runner tokens of all accounts. */
    joinTokens: async () => (await ask(JoinTokenList, "/runner-tokens")).tokens,
    revokeJoinToken: async (id: number): Promise<void> => {
      await send(`/runner-tokens/${id}/revoke`, { method: "POST" });
    },
    boards: async (competition?: string) => (await ask(BoardList, `/boards${query({ competition })}`)).boards,
    /**
     * Returns a board in its current revision, or in an earlier one if `edition` is given.
     * @param unfrozen Include entries hidden by a freeze; for moderators and organisers of the competition.
     */
    board: (board: string, target: string, unfrozen = false, edition?: number) =>
      ask(
        Board,
        `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}${query({ ...(unfrozen && { unfrozen }), edition })}`,
      ),
    /** Returns the records of a board; with entrants (see `entrantOf`), their entries as well. */
    boardHistory: (board: string, target: string, entrants: readonly string[] = []) => {
      const asked = new URLSearchParams(entrants.map((entrant) => ["entrant", entrant]));
      const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/history`;
      return ask(BoardHistory, asked.size === 0 ? path : `${path}?${asked.toString()}`);
    },
    competitions: async () => (await ask(CompetitionList, "/competitions")).competitions,
    competition: (name: string) => ask(Competition, `/competitions/${encodeURIComponent(name)}`),
    createCompetition: (spec: CompetitionSpec) => ask(Competition, "/competitions", json(spec), NO_RETRY),
    changeCompetition: (spec: CompetitionSpec) =>
      ask(Competition, `/competitions/${encodeURIComponent(spec.name)}`, { ...json(spec), method: "PUT" }),
    createInvites: (request: InviteRequest) => ask(Invites, "/invites", json(request), NO_RETRY),
    invites: async (competition: string) =>
      (await ask(InviteList, `/competitions/${encodeURIComponent(competition)}/invites`)).invites,
    revokeInvite: (code: string) => ask(RevokedInvite, "/invites/revoke", json({ code })),
    /** Lists the teams of a competition; the caller's own team includes its join code. */
    teams: async (competition: string) => (await ask(TeamList, teamsOf(competition))).teams,
    makeTeam: (competition: string, name: string) => ask(Team, teamsOf(competition), json({ name }), NO_RETRY),
    joinTeam: (competition: string, code: string) => post(Team, `${teamsOf(competition)}/join`, { code }),
    leaveTeam: (competition: string) => send(`${teamsOf(competition)}/leave`, { method: "POST" }, NO_RETRY),
    renameTeam: (competition: string, name: string) => post(Team, `${teamsOf(competition)}/rename`, { name }),
    /** Removes a member from a team. For organisers of the competition and moderators. */
    removeFromTeam: (competition: string, account: string) =>
      send(`${teamsOf(competition)}/remove`, json({ account }), NO_RETRY),
    /** Joins the competitions of an invite code. */
    join: (code: string) => ask(Joined, "/invites/claim", json({ code })),
    /** Returns the default licence of the caller's new submissions. */
    licence: () => ask(LicenceChoice, "/account/licence"),
    chooseLicence: (choice: LicenceChoice) =>
      ask(LicenceChoice, "/account/licence", { ...json(choice), method: "PUT" }),
    /** Returns whether published data shows the caller's name, unless a submission overrides that. */
    anonymity: () => ask(Anonymity, "/account/anonymity"),
    chooseAnonymity: (choice: Anonymity) => ask(Anonymity, "/account/anonymity", { ...json(choice), method: "PUT" }),
    /** Returns the publication settings of one of the caller's submissions. */
    consent: (id: number) => ask(SubmissionConsent, `/submissions/${id}/licence`),
    /** Permits the publication of one of the caller's submissions, or withdraws the permission. */
    licenseSubmission: (id: number, choice: SubmissionConsent) =>
      ask(Submission, `/submissions/${id}/licence`, { ...json(choice), method: "PUT" }),
    kernelbench: kernelbenchClient(connection),
    datasets: datasetsClient(connection),
  };
}

function teamsOf(competition: string): string {
  return `/competitions/${encodeURIComponent(competition)}/teams`;
}
