import { ElasticJob, ElasticJobModule, type ShardingContext } from '@app/elastic-job';
import type { RunTracer } from '@app/elastic-job/spi';
import { openTelemetryTracer } from '@app/elastic-job/opentelemetry';
import { createTestCluster, type TestCluster } from '@app/elastic-job/testing';
import { Module, type Type } from '@nestjs/common';
import { context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const JOB = 'scheduling.apache-elasticjob.job.name';
const ITEM = 'scheduling.apache-elasticjob.sharding.item.index';
const OUTCOME = 'scheduling.apache-elasticjob.outcome';
const SOURCE = 'scheduling.apache-elasticjob.source';

const exporter = new InMemorySpanExporter();
const sdk = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeEach(() => {
  exporter.reset();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterEach(() => {
  context.disable();
  trace.disable();
});

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0/10 * * * * ?', shardingTotalCount: 2, shardingItemParameters: '0=A' })
  async settle({ shardingItem }: ShardingContext): Promise<void> {
    await Promise.resolve();
    trace.getTracer('user').startSpan(`charge ${shardingItem}`).end();
    if (shardingItem === 1) throw new RangeError('no such order');
  }
}

class FlakyJobs {
  @ElasticJob({ name: 'flaky', cron: '0/10 * * * * ?', shardingTotalCount: 1, maxAttempts: 2, retryDelayMs: 100 })
  settle({ attempt }: ShardingContext): void {
    trace.getTracer('user').startSpan('attempt').end();
    if (attempt === 1) throw new Error('try again');
  }
}

/** Waits for its signal, so it runs until its process crashes or leaves. */
class LongJobs {
  static readonly spans = new Map<number, Span | undefined>();

  @ElasticJob({ name: 'long', cron: '10 * * * * ?', shardingTotalCount: 2, failover: true })
  async run({ shardingItem, signal, source }: ShardingContext): Promise<void> {
    if (source === 'FAILOVER') return;
    LongJobs.spans.set(shardingItem, trace.getActiveSpan());
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  }
}

async function start(provider: Type, instances: number, tracer = openTelemetryTracer()): Promise<TestCluster> {
  @Module({ imports: [ElasticJobModule.forRoot({ tracer })], providers: [provider] })
  class AppModule {}
  const cluster = await createTestCluster({ instances, module: AppModule });
  onTestFinished(() => cluster.stop());
  return cluster;
}

describe('openTelemetryTracer', () => {
  it("gives a run a span, each item a span below it, and the user's spans below these", async () => {
    trace.setGlobalTracerProvider(sdk);
    const cluster = await start(OrderJobs, 1);

    await cluster.advance(9_000);

    const [run] = named('run settle-orders');
    const items = named('item settle-orders');
    expect(run!.parentSpanContext).toBeUndefined();
    expect(run!.attributes).toMatchObject({
      'job.system': 'elasticjob',
      [JOB]: 'settle-orders',
      [SOURCE]: 'NORMAL_TRIGGER',
      'scheduling.apache-elasticjob.sharding.items': [0, 1],
      'scheduling.apache-elasticjob.fire.time': '2030-01-01T00:00:10.000Z',
      'scheduling.apache-elasticjob.run.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(items.map(parentId)).toEqual([spanId(run!), spanId(run!)]);
    expect(items.map(({ attributes }) => attributes)).toMatchObject([
      { [ITEM]: 0, [OUTCOME]: 'succeeded', 'scheduling.apache-elasticjob.sharding.item.parameters': 'A' },
      { [ITEM]: 1, [OUTCOME]: 'failed', 'error.type': 'RangeError' },
    ]);
    expect(['charge 0', 'charge 1'].flatMap(named).map(parentId)).toEqual(items.map(spanId));
  });

  it('puts the error of a handler on its span and on that of the run', async () => {
    trace.setGlobalTracerProvider(sdk);
    const cluster = await start(OrderJobs, 1);

    await cluster.advance(9_000);

    const [, failed] = named('item settle-orders');
    expect(failed!.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no such order' });
    expect(failed!.events).toMatchObject([{ name: 'exception', attributes: { 'exception.message': 'no such order' } }]);
    expect(named('run settle-orders')[0]!.status).toEqual({
      code: SpanStatusCode.ERROR,
      message: '1 items have failed',
    });
  });

  it('gives an item that is tried again one span, with its attempts', async () => {
    trace.setGlobalTracerProvider(sdk);
    const cluster = await start(FlakyJobs, 1);

    await cluster.advance(9_900);

    const [item, ...others] = named('item flaky');
    expect(others).toEqual([]);
    expect(item!.attributes).toMatchObject({ [OUTCOME]: 'succeeded', 'scheduling.apache-elasticjob.attempts': 2 });
    expect(item!.events).toMatchObject([{ name: 'retry', attributes: { attempt: 2 } }]);
    expect(named('attempt').map(parentId)).toEqual([spanId(item!), spanId(item!)]);
  });

  it('links the spans of repeated items to the crashed run', async () => {
    trace.setGlobalTracerProvider(sdk);
    const cluster = await start(LongJobs, 2);
    await cluster.advance(9_000);
    const [orphan] = [...cluster.assignment('long')].find(([, owner]) => owner === 0)!;
    const crashed = LongJobs.spans.get(orphan)!.spanContext();

    cluster.crash(0);
    await cluster.advance(15_000);

    const [run] = named('run long').filter(isFailover);
    const [item] = named('item long').filter(isFailover);
    expect(item!.attributes[ITEM]).toBe(orphan);
    expect(run!.links.map((link) => link.context.traceId)).toEqual([crashed.traceId]);
    expect(item!.links.map((link) => link.context)).toEqual(run!.links.map((link) => link.context));
    expect(run!.spanContext().traceId).not.toBe(crashed.traceId);
    expect(await recordOf(cluster, orphan)).not.toHaveProperty('trace'); // It has ended, so nobody repeats it.
  });

  it('makes no span without an SDK, and records name none', async () => {
    const cluster = await start(OrderJobs, 1);

    await cluster.advance(9_000);

    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(cluster.runs('settle-orders')).toHaveLength(2);
    expect(await recordOf(cluster, 0, 'settle-orders')).not.toHaveProperty('trace');
  });

  it('exports nothing for a sampler that drops everything, but a repetition can link to it', async () => {
    const tracerProvider = new BasicTracerProvider({
      sampler: new AlwaysOffSampler(),
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const cluster = await start(LongJobs, 1, openTelemetryTracer({ tracerProvider }));

    await cluster.advance(9_500);

    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(await recordOf(cluster, 0)).toMatchObject({ trace: expect.stringMatching(/-00$/) });
  });

  it('changes no outcome if the tracer throws at every step', async () => {
    const broken = (): never => {
      throw new Error('the exporter is broken');
    };
    const cluster = await start(OrderJobs, 1, {
      start: () => ({
        traceparent: undefined,
        begun: broken,
        aroundItem: (_, handle) => {
          void handle();
          return broken();
        },
        settled: broken,
        ended: broken,
      }),
    });

    await cluster.advance(9_000);

    const outcomes = cluster.events(0).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
    expect(outcomes.toSorted()).toEqual(['failed', 'succeeded']);
    expect(cluster.runs('settle-orders')).toHaveLength(2);
  });

  it('is refused by name if it is no tracer', async () => {
    const tracer: RunTracer = JSON.parse('{}');
    await expect(start(OrderJobs, 1, tracer)).rejects.toThrow(/tracer must be a RunTracer/);
  });
});

function named(name: string): ReadableSpan[] {
  const spans = exporter.getFinishedSpans().filter((span) => span.name === name);
  return spans.toSorted((a, b) => Number(a.attributes[ITEM] ?? 0) - Number(b.attributes[ITEM] ?? 0));
}

function spanId(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

function parentId(span: ReadableSpan): string | undefined {
  return span.parentSpanContext?.spanId;
}

function isFailover({ attributes }: ReadableSpan): boolean {
  return attributes[SOURCE] === 'FAILOVER';
}

async function recordOf(cluster: TestCluster, item: number, jobName = 'long'): Promise<unknown> {
  const center = cluster.instances.at(-1)!.center;
  const node = await cluster.clock.advanceUntil(center.read(`/${jobName}/sharding/${item}/record`));
  return JSON.parse(node!.data);
}
