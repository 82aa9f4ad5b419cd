import type { OptionRow } from '../../domain/index.js';
import type {
  AuditAnswer,
  CancelAnswer,
  ConfigAnswer,
  ConfigChangedAnswer,
  ConfigPreviewAnswer,
  ConsoleCall,
  ConsoleRequest,
  ConsoleRole,
  DoneAnswer,
  EventsAnswer,
  ExecutionsAnswer,
  FailoverAnswer,
  FireTimesAnswer,
  FrameSink,
  ItemAnswer,
  ItemsAnswer,
  JobAnswer,
  JobHistoryAnswer,
  JobsAnswer,
  MissedAnswer,
  OverviewAnswer,
  RerunAnswer,
  RerunPreviewAnswer,
  RerunsAnswer,
  ResignAnswer,
  RunAnswer,
  RunsAnswer,
  ServerAnswer,
  ServersAnswer,
  SessionAnswer,
  ShutdownAnswer,
  StatisticsAnswer,
  TriggerAnswer,
  WhyAnswer,
} from '../contract/index.js';
import type { RouteCode } from './route-code.js';

/** Answers by the names of their types, by which `openapi.json` has their schemas. */
export interface Answers {
  readonly AuditAnswer: AuditAnswer;
  readonly CancelAnswer: CancelAnswer;
  readonly ConfigAnswer: ConfigAnswer;
  readonly ConfigChangedAnswer: ConfigChangedAnswer;
  readonly ConfigPreviewAnswer: ConfigPreviewAnswer;
  readonly DoneAnswer: DoneAnswer;
  readonly EventsAnswer: EventsAnswer;
  readonly ExecutionsAnswer: ExecutionsAnswer;
  readonly FailoverAnswer: FailoverAnswer;
  readonly FireTimesAnswer: FireTimesAnswer;
  readonly ItemAnswer: ItemAnswer;
  readonly ItemsAnswer: ItemsAnswer;
  readonly JobAnswer: JobAnswer;
  readonly JobHistoryAnswer: JobHistoryAnswer;
  readonly JobsAnswer: JobsAnswer;
  readonly MissedAnswer: MissedAnswer;
  readonly OverviewAnswer: OverviewAnswer;
  readonly RerunAnswer: RerunAnswer;
  readonly RerunPreviewAnswer: RerunPreviewAnswer;
  readonly RerunsAnswer: RerunsAnswer;
  readonly ResignAnswer: ResignAnswer;
  readonly RunAnswer: RunAnswer;
  readonly RunsAnswer: RunsAnswer;
  readonly ServerAnswer: ServerAnswer;
  readonly ServersAnswer: ServersAnswer;
  readonly SessionAnswer: SessionAnswer;
  readonly ShutdownAnswer: ShutdownAnswer;
  readonly StatisticsAnswer: StatisticsAnswer;
  readonly TriggerAnswer: TriggerAnswer;
  readonly WhyAnswer: WhyAnswer;
  /** The text of a dump. */
  readonly text: string;
  /** Server-sent events, opened at a sink. */
  readonly events: (sink: FrameSink) => void;
  /** `openapi.json`, as it lies in the package. */
  readonly document: string;
  readonly nothing: undefined;
}

/** An answer with headers of its own, such as a cookie. */
export class WithHeaders<Answer> {
  constructor(
    readonly answer: Answer,
    readonly headers: Readonly<Record<string, string | readonly string[]>>,
  ) {}
}

type ConsoleMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A route: who may ask for what, what the request must be, and which code answers it. */
export interface ConsoleRoute {
  readonly method: ConsoleMethod;
  /** Below `/api/v1`, with the names of its variable parts: `/jobs/:job/trigger`. */
  readonly path: `/${string}`;
  /** The least role that may. */
  readonly role: ConsoleRole | 'anybody';
  /** True if it reaches beyond a job prefix, so that nobody who has one may. */
  readonly beyondPrefix?: true;
  readonly query?: Readonly<Record<string, OptionRow>>;
  readonly body?: Readonly<Record<string, OptionRow>>;
  /** The type of the answer; of several, that of the first unless the query asks for another. */
  readonly answer: readonly (keyof Answers)[];
  /** Columns of the `items` of its answer, which it also gives as a table. */
  readonly csv?: readonly string[];
  readonly status: 200 | 201 | 202 | 204;
  /** True if it changes the registry. */
  readonly isChange: boolean;
  /** Says in a line what it does. */
  readonly summary: string;
  /** The answer, also `WithHeaders`. The rows have checked query and body. */
  run(code: RouteCode, call: ConsoleCall, request: ConsoleRequest): unknown;
}

/** The route that a URL names, with its variable parts. */
export interface Routed {
  readonly route: ConsoleRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** False for a change that is only to be previewed. */
  readonly isChange: boolean;
}

/** A route with the types of its query, its body and its answer. */
interface TypedRoute<Name extends keyof Answers, Query extends object, Body extends object> extends Omit<
  ConsoleRoute,
  'run' | 'query' | 'body' | 'answer' | 'status' | 'isChange'
> {
  readonly query?: Readonly<Record<keyof Query, OptionRow>>;
  readonly body?: Readonly<Record<keyof Body, OptionRow>>;
  readonly answer: Name | readonly Name[];
  /** @default 200 */
  readonly status?: ConsoleRoute['status'];
  readonly run: (
    code: RouteCode,
    call: ConsoleCall<Query, Body>,
    request: ConsoleRequest,
  ) => Awaitable<Answers[Name] | WithHeaders<Answers[Name]>>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** A route that changes nothing in the registry. */
export function reads<Name extends keyof Answers, Query extends object = object, Body extends object = object>(
  route: TypedRoute<Name, Query, Body>,
): ConsoleRoute {
  return { status: 200, ...route, answer: [route.answer].flat(), isChange: false };
}

/** A route that changes the registry: it has a body, of `reason` at least. */
export function changes<Name extends keyof Answers, Body extends object, Query extends object = object>(
  route: TypedRoute<Name, Query, Body> & { readonly body: object },
): ConsoleRoute {
  return { status: 200, ...route, answer: [route.answer].flat(), isChange: true };
}
