import type {
  ConsoleCaller,
  ConsoleRequest,
  FailoverAnswer,
  FrameSink,
  ItemAnswer,
  ItemsAnswer,
  JobAnswer,
  JobsAnswer,
  JobsQuery,
  OverviewAnswer,
  PageQuery,
  ServerAnswer,
  ServersAnswer,
  ServersQuery,
  SessionAnswer,
} from '../contract/index.js';
import type { JobSchedule } from '../history/index.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Tells who asks, and from where. */
export interface IdentityDoor {
  /**
   * @param isUse false for a later look at a request that is still being answered. @default true
   * @throws {ConsoleProblem} 401; 403, 421 for a request that nobody can have meant
   */
  authenticate(request: ConsoleRequest, isUse?: boolean): Promise<ConsoleCaller>;
  /** @throws {ConsoleProblem} 401, 429 */
  logIn(
    request: ConsoleRequest,
    body: { readonly name: string; readonly password: string },
  ): Promise<{ readonly answer: SessionAnswer; readonly headers: Headers }>;
  /** The caller: whose session has ended, if there was one. */
  logOut(request: ConsoleRequest): Promise<{ readonly headers: Headers; readonly caller?: ConsoleCaller | undefined }>;
  /** True if there is a user of this name. For the audit; an answer never tells it. */
  isUser(name: string): boolean;
  session(request: ConsoleRequest, caller: ConsoleCaller): Promise<SessionAnswer>;
  addressOf(request: ConsoleRequest): string;
}

/** The index of all jobs, and jobs that somebody looks at. */
export interface JobDoor {
  list(query: JobsQuery, caller: ConsoleCaller): JobsAnswer;
  overview(caller: ConsoleCaller): OverviewAnswer;
  servers(query: ServersQuery, caller: ConsoleCaller): ServersAnswer;
  server(ip: string, caller: ConsoleCaller): ServerAnswer | undefined;
  /** The jobs whose rows the caller looks at from now on. */
  setScreen(caller: ConsoleCaller, jobs: readonly string[]): void;
  /** Resolves once the history of what is shown is at hand, or soon after in any case. */
  historyReady(): Promise<void>;
  open(job: string): JobView;
}

export interface JobView {
  /** @throws {UnknownJobError} */
  job(): Promise<JobAnswer>;
  items(query: PageQuery): Promise<ItemsAnswer>;
  item(item: number): Promise<ItemAnswer | undefined>;
  failover(): Promise<FailoverAnswer>;
  schedule(): Promise<JobSchedule>;
  close(): void;
}

export interface StreamDoor {
  /**
   * @param signal ends the stream
   * @throws {ConsoleProblem} 404 for a job that is not there for the caller, 429 for one stream too many
   */
  open(caller: ConsoleCaller, topics: readonly string[], sink: FrameSink, signal: AbortSignal): void;
}
