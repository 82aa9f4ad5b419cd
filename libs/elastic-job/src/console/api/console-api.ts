import { type Clock, Deadline } from '../../clock/index.js';
import { guardRedact, type Redact, redactThrown } from '../../domain/index.js';
import {
  type AuditTrail,
  ConfigChanges,
  type Configurations,
  type ConsoleTargets,
  type FindJob,
  hideIn,
  ItemChanges,
  type ItemCommands,
  JobChanges,
  type JobCommands,
  ServerChanges,
} from '../changes/index.js';
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleCaller,
  ConsoleProblem,
  type ConsoleRequest,
  hasJobPrefix,
  mayAs,
  seesJob,
  unknownJobProblem,
} from '../contract/index.js';
import { type HistoryGate, HistoryReads } from '../history/index.js';
import type { IdentityDoor, JobDoor, StreamDoor } from './doors.js';
import { noteRefusal } from './audit-notes.js';
import { answerOf, problemAnswer, wantsCsv } from './answer-of.js';
import { bodyOf, queryOf } from './given.js';
import { HidingSinks } from './hiding-sinks.js';
import { JobReads } from './job-reads.js';
import { openLive } from './live-stream.js';
import { packedDocument } from './packed-document.js';
import { problemOf } from './problem-of.js';
import { readBody } from './read-body.js';
import type { RouteCode } from './route-code.js';
import type { Routed } from './route.js';
import { API, routed } from './router.js';

/** Parts of the API. */
export interface ConsoleApiParts {
  /** Path of the console, such as `/elastic-job`, for URLs in answers. */
  readonly path: string;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly identities: IdentityDoor;
  /** @throws {ConsoleProblem} 429 */
  readonly limits: { read(caller: ConsoleCaller): void; change(caller: ConsoleCaller): void };
  readonly audit: AuditTrail & RouteCode['audit'];
  readonly index: JobDoor;
  readonly streams: StreamDoor;
  /** `JobOperateApi`. */
  readonly commands: JobCommands;
  /** `ShardingOperateApi`. */
  readonly items: ItemCommands;
  readonly configurations: Configurations;
  /** The way to the history of runs. */
  readonly gate: HistoryGate;
  readonly targets: ConsoleTargets;
  /** Names of props whose values everybody sees. */
  readonly showProps: readonly string[];
  readonly readOnly: boolean;
  readonly requireReason: boolean;
  /** The text of `openapi.json`. @default the file in the package */
  readonly document?: () => Promise<string>;
  /** Told of every error that nobody foresaw. */
  readonly log: { error(text: string, error: unknown): void };
}

/** Longest wait for changes that are being made when the console stops, in milliseconds. */
const STOP_MS = 5_000;
const NOBODY: ConsoleCaller = { name: '', role: 'viewer', by: 'host' };

/**
 * The whole API of operations: from a request, as an HTTP server has taken it, to an answer. Whatever goes wrong is
 * answered by a problem.
 *
 * A request is checked in this order: its URL, who asks, how often, the role, the job prefix, `readOnly`, the query,
 * the body, the reason. Only then the route's code is called, once.
 *
 * Once it stops, requests are refused by 503 SHUTTING_DOWN. Changes that are being made end first, so that the audit
 * has their ends.
 */
export class ConsoleApi {
  private readonly code: RouteCode;
  private readonly redact: Redact;
  private readonly log: ConsoleApiParts['log'];
  /** Changes that are being made. */
  private readonly making = new Set<Promise<unknown>>();
  private isStopped = false;

  constructor(private readonly parts: ConsoleApiParts) {
    this.redact = guardRedact(parts.redact);
    const { log } = parts;
    this.log = { error: (text, error) => log.error(text, redactThrown(error, this.redact)) };
    this.code = codeOf({ ...parts, redact: this.redact, log: this.log });
  }

  /** Never throws. */
  async handle(request: ConsoleRequest): Promise<ConsoleAnswer> {
    const { method, url } = request;
    let found: Routed | undefined;
    let caller: ConsoleCaller | undefined;
    try {
      found = routed(method, url);
      this.assertRunning();
      caller = await this.callerOf(request, found);
      this.assertMay(caller, found);
      const call = await this.checked(request, found, caller);
      const isLook = method === 'HEAD' && found.route.answer.includes('events');
      const answer: unknown = isLook ? () => {} : await this.run(found, call, request);
      const seer = caller;
      const hide = (value: unknown) => hideIn(value, seer, { redact: this.redact });
      return answerOf(answer, { request, route: found.route, hide, isCsv: wantsCsv(request, found) });
    } catch (error) {
      await noteRefusal(this.code, { error, request, found, caller });
      return this.refused(error, request, found);
    }
  }

  /** Resolves once no change is being made any more, or after 5 s. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Deadline.after(this.parts.clock, STOP_MS).bounds(Promise.allSettled(this.making), () => []);
  }

  /** @throws {ConsoleProblem} 503 */
  private assertRunning(): void {
    if (this.isStopped) throw new ConsoleProblem(503, 'SHUTTING_DOWN', 'The process of this console ends.');
  }

  private async run({ isChange, route }: Routed, call: ConsoleCall, request: ConsoleRequest): Promise<unknown> {
    // The body may have taken its time.
    this.assertRunning();
    const answering = Promise.resolve(route.run(this.code, call, request));
    if (!isChange) return answering;
    this.making.add(answering);
    return answering.finally(() => this.making.delete(answering));
  }

  /** @throws {ConsoleProblem} 401; 403, 421 for a request that nobody can have meant */
  private async callerOf(request: ConsoleRequest, { route }: Routed): Promise<ConsoleCaller> {
    return route.role === 'anybody' ? NOBODY : this.parts.identities.authenticate(request);
  }

  /** @throws {ConsoleProblem} 403, 404, 429 */
  private assertMay(caller: ConsoleCaller, { isChange, params, route }: Routed): void {
    const { limits, readOnly } = this.parts;
    if (route.role === 'anybody') return;
    if (isChange) limits.change(caller);
    else limits.read(caller);
    if (!mayAs(caller.role, route.role)) {
      throw new ConsoleProblem(403, 'FORBIDDEN', `That needs the role ${route.role}.`, { role: route.role });
    }
    if (params.job !== undefined && !seesJob(caller, params.job)) throw unknownJobProblem(params.job);
    if (route.beyondPrefix === true && hasJobPrefix(caller)) {
      const detail = `That reaches beyond the jobs that begin with ${caller.jobPrefix}.`;
      throw new ConsoleProblem(403, 'FORBIDDEN', detail, { role: route.role });
    }
    if (isChange && readOnly) {
      throw new ConsoleProblem(403, 'READ_ONLY', 'This console changes nothing.', { option: 'readOnly' });
    }
  }

  /** @throws {ConsoleProblem} 400, 408, 413, 415 */
  private async checked(
    request: ConsoleRequest,
    { isChange, params, query, route }: Routed,
    caller: ConsoleCaller,
  ): Promise<ConsoleCall> {
    const { clock, identities, requireReason } = this.parts;
    const asked = queryOf(query, route.query);
    const body = route.body === undefined ? {} : bodyOf(await readBody(request, clock), route.body);
    if (isChange && requireReason && !hasReason(body)) {
      throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'A change needs a reason.', {
        fields: [{ field: 'reason', problem: 'must say why' }],
        option: 'requireReason',
      });
    }
    const ifMatch = request.headers['if-match'];
    return {
      caller,
      params,
      query: asked,
      body,
      ifMatch: typeof ifMatch === 'string' ? ifMatch : undefined,
      requestId: request.id,
      address: identities.addressOf(request),
      signal: request.signal,
    };
  }

  /** The answer to a request that the HTTP server has refused. Never throws. */
  refuse(problem: ConsoleProblem, request: ConsoleRequest): ConsoleAnswer {
    return this.refused(problem, request, undefined);
  }

  private refused(error: unknown, request: ConsoleRequest, found: Routed | undefined): ConsoleAnswer {
    const { log, redact } = this;
    const look = this.parts.path + API + lookAt(found?.params ?? {});
    const { headers, isUnknown, problem } = problemOf(error, { requestId: request.id, look, redact });
    if (isUnknown) log.error(`Request ${request.id} of the console has failed`, error);
    return problemAnswer(problem, headers, request);
  }
}

function codeOf(parts: ConsoleApiParts): RouteCode {
  const { document, index, redact } = parts;
  const findJob: FindJob = async (job) => {
    const view = index.open(job);
    try {
      return await view.job();
    } finally {
      view.close();
    }
  };
  const shared = { ...parts, findJob };
  const sinks = new HidingSinks((data, caller) => hideIn(data, caller, { redact }));
  return {
    ...parts,
    document: document ?? packedDocument,
    live: (request, caller, topics) => openLive({ ...parts, sinks }, request, { caller, topics }),
    reads: new JobReads(parts),
    history: new HistoryReads(parts),
    jobs: new JobChanges(shared),
    items: new ItemChanges(parts),
    config: new ConfigChanges(shared),
    servers: new ServerChanges(shared),
  };
}

/** Where somebody sees what has become of a change. */
function lookAt({ ip, job }: Routed['params']): string {
  if (job !== undefined) return `/jobs/${encodeURIComponent(job)}`;
  return ip === undefined ? '/jobs' : `/servers/${encodeURIComponent(ip)}`;
}

function hasReason(body: object): boolean {
  const reason: unknown = Reflect.get(body, 'reason');
  return typeof reason === 'string' && reason.trim() !== '';
}
