import {
  type AttributeValue,
  context as active,
  INVALID_TRACEID,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import {
  anyCodeOf,
  ElasticJobError,
  having,
  instant,
  isError,
  messageOf,
  nameOf,
  type OptionRow,
  OptionTable,
  type RunTrace,
  type RunTracer,
  type SettledOutcome,
  type ShardingContext,
  stackOf,
  type TracedRun,
  type TracedTask,
  type Trigger,
} from '../../domain/index.js';
import { LabelValues } from '../label-values.js';
import type { SpanAttributeName } from './spans.catalogue.js';

const SCOPE = 'nestjs-elastic-job';
const MOST_ERROR_TYPES = 100;

/** Destination of the spans. */
export interface OpenTelemetryOptions {
  /** Provider that makes the tracer. @default the globally registered one, also if it is registered later */
  readonly tracerProvider?: TracerProvider;
}

const TABLE = new OptionTable(
  { tracerProvider: { rule: having('a TracerProvider', 'getTracer') } } satisfies Readonly<
    Record<keyof OpenTelemetryOptions, OptionRow>
  >,
  'the tracer',
);

/**
 * Creates spans for the runs on this instance: `ElasticJobModule.forRoot({ tracer: openTelemetryTracer() })`. For a
 * handler's own spans to become their children, a context manager must be registered, as every SDK for Node does.
 * @throws {ConfigurationError} for wrong and unknown options
 */
export function openTelemetryTracer(input: OpenTelemetryOptions = {}): RunTracer {
  const { tracerProvider = trace } = TABLE.checked('openTelemetryTracer', input);
  const tracer = tracerProvider.getTracer(SCOPE);
  const errorTypes = new LabelValues(MOST_ERROR_TYPES);
  return {
    start: (trigger: Trigger) => {
      // A trace of its own: the context in which the job was registered has nothing to do with this run.
      const span = tracer.startSpan(`run ${trigger.jobName}`, { root: true }, ROOT_CONTEXT);
      // No SDK is registered, so there is nothing to follow.
      if (span.spanContext().traceId === INVALID_TRACEID) return undefined;
      return new OpenTelemetryRunTrace(tracer, span, trigger, errorTypes);
    },
    within: (traceparent, handle) => {
      const item = parseTraceparent(traceparent);
      return item === undefined ? handle() : active.with(trace.setSpanContext(active.active(), item), handle);
    },
  };
}

/** Limit for an attribute: a parameter may be as long as a node's text. */
const LONGEST_ATTRIBUTE = 1_024;

type SpanAttributes = Partial<Record<SpanAttributeName, AttributeValue>>;

/** One run as a span, with one for each item that was started. */
class OpenTelemetryRunTrace implements RunTrace {
  readonly traceparent: string | undefined;
  private readonly shared: SpanAttributes;
  private readonly items = new Map<number, ItemSpan>();
  private repeated: ReadonlyMap<number, string> = new Map();
  private failed = 0;

  /**
   * @param span the run's; it may never be ended, because a refused begin is no run
   * @param errorTypes limited to few values, as the convention requires, since metrics of spans have a series for each.
   * @see OpenTelemetry, `error.type`
   */
  constructor(
    private readonly tracer: Tracer,
    private readonly span: Span,
    { jobName, source, origin, fireTime }: Trigger,
    private readonly errorTypes: LabelValues,
  ) {
    this.traceparent = formatTraceparent(span.spanContext());
    this.shared = {
      'job.system': 'elasticjob',
      'scheduling.apache-elasticjob.job.name': jobName,
      'scheduling.apache-elasticjob.source': source,
      'scheduling.apache-elasticjob.origin': origin,
      'scheduling.apache-elasticjob.fire.time': instant(fireTime),
    };
  }

  begun({ run, items, repeated }: TracedRun): void {
    this.repeated = repeated;
    // One link for each repeated run, of which several items may be repeated.
    this.span.addLinks([...new Set(repeated.values())].flatMap(linkTo));
    this.span.setAttributes({
      ...this.shared,
      'scheduling.apache-elasticjob.sharding.items': [...items],
      ...(run !== undefined && { 'scheduling.apache-elasticjob.run.id': run }),
    } satisfies SpanAttributes);
  }

  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result {
    const { shardingItem, attempt } = context;
    let item = this.items.get(shardingItem);
    if (item === undefined) {
      item = { span: this.startItem(context), attempts: 0 };
      this.items.set(shardingItem, item);
    }
    item.attempts += 1;
    if (item.attempts > 1) item.span.addEvent('retry', { attempt });
    return active.with(trace.setSpan(active.active(), item.span), handle);
  }

  traceparentOf(item: number): string | undefined {
    const span = this.items.get(item)?.span;
    return span && formatTraceparent(span.spanContext());
  }

  task(item: number, { backend, exitCode, id, isAdopted, launch, node, state }: TracedTask): void {
    this.items.get(item)?.span.setAttributes({
      'scheduling.apache-elasticjob.executor.backend': backend,
      'scheduling.apache-elasticjob.executor.task.id': id,
      'scheduling.apache-elasticjob.executor.launch': launch,
      'scheduling.apache-elasticjob.executor.adopted': isAdopted,
      'scheduling.apache-elasticjob.executor.state': state,
      ...(node !== undefined && { 'scheduling.apache-elasticjob.executor.node': node }),
      ...(exitCode !== undefined && { 'process.exit.code': exitCode }),
    } satisfies SpanAttributes);
  }

  settled(item: number, outcome: SettledOutcome): void {
    if (outcome.kind === 'failed') this.failed += 1;
    const started = this.items.get(item);
    if (started === undefined) return;
    this.items.delete(item);
    const { span, attempts } = started;
    span.setAttributes({
      'scheduling.apache-elasticjob.attempts': attempts,
      'scheduling.apache-elasticjob.outcome': outcome.kind,
    } satisfies SpanAttributes);
    if (outcome.kind === 'failed') this.fail(span, outcome.error);
    span.end();
  }

  ended(): void {
    if (this.failed > 0) {
      this.span.setAttributes({ 'error.type': 'items_failed' } satisfies SpanAttributes);
      this.span.setStatus({ code: SpanStatusCode.ERROR, message: `${this.failed} items have failed` });
    }
    this.span.end();
  }

  private fail(span: Span, error: unknown): void {
    const { code, message, name, type: given } = describe(error);
    const type = this.errorTypes.of(given);
    const stack = stackOf(error);
    // A copy, because the span would look at the error once more, which may throw by now.
    span.recordException(stack === undefined ? { name: type, message } : { code, name, message, stack });
    span.setAttributes({ 'error.type': type } satisfies SpanAttributes);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  private startItem(context: ShardingContext): Span {
    const { jobName, shardingItem, shardingParameter, shardingTotalCount, taskId } = context;
    const former = this.repeated.get(shardingItem);
    const attributes: SpanAttributes = {
      ...this.shared,
      'scheduling.apache-elasticjob.task.id': taskId,
      'scheduling.apache-elasticjob.sharding.item.index': shardingItem,
      'scheduling.apache-elasticjob.sharding.total.count': shardingTotalCount,
      'scheduling.apache-elasticjob.sharding.item.parameters': shardingParameter?.slice(0, LONGEST_ATTRIBUTE),
    };
    const links = former === undefined ? [] : linkTo(former);
    return this.tracer.startSpan(`item ${jobName}`, { attributes, links }, trace.setSpan(ROOT_CONTEXT, this.span));
  }
}

interface ItemSpan {
  readonly span: Span;
  attempts: number;
}

function linkTo(traceparent: string): Link[] {
  const context = parseTraceparent(traceparent);
  return context === undefined ? [] : [{ context }];
}

interface Described {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly code: string | number | undefined;
}

/** A handler may throw any value. */
function describe(error: unknown): Described {
  if (!isError(error)) {
    const message = typeof error === 'string' ? error : `a ${typeof error} was thrown`;
    return { type: typeof error, name: typeof error, message, code: undefined };
  }
  const [name, code] = [nameOf(error), anyCodeOf(error)];
  return { type: isOwn(error) ? String(code) : name, name, message: messageOf(error), code };
}

function isOwn(error: Error): boolean {
  try {
    return error instanceof ElasticJobError;
  } catch {
    return false;
  }
}

/** Later versions may append fields to these. @see W3C Trace Context, section 3.2 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/** The context in the form of W3C's header; undefined if there is none. */
export function formatTraceparent(context: SpanContext): string | undefined {
  if (!isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads a header. @returns undefined if the text names no span */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
