import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, type ShardingContext, type Trigger } from '../../domain/index.js';
import { openTelemetryTracer } from './open-telemetry-tracer.js';

const TRIGGER: Trigger = { jobName: 'settle-orders', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' };
const CONTEXT: ShardingContext = JSON.parse('{ "jobName": "settle-orders", "shardingItem": 0, "attempt": 1 }');

/** Settles an item with a thrown value. @returns the events of its span, as `[name, attributes]` */
function recorded(error: unknown) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const trace = openTelemetryTracer({ tracerProvider }).start(TRIGGER)!;
  trace.aroundItem(CONTEXT, () => {});
  trace.settled(0, { kind: 'failed', error });
  const [span] = exporter.getFinishedSpans();
  return span!.events.map(({ attributes, name }) => [name, attributes] as const);
}

/** An error that lets a field, or its class, be looked at so often and no further. */
function fragile(field: string, looks: number): unknown {
  let left = looks;
  const look = () => {
    left -= 1;
    if (left < 0) throw new Error('no further look');
  };
  return new Proxy(Object.assign(new Error('no such order'), { code: 'E_ORDER' }), {
    get: (error, name) => (name === field && look(), Reflect.get(error, name)),
    getPrototypeOf: (error) => (field === 'class' && look(), Reflect.getPrototypeOf(error)),
  });
}

describe('the exception in a span', () => {
  it('has the code or name, the message and the stack of an error', () => {
    const error = new TypeError('no such order');

    expect(recorded(error)).toEqual([
      [
        'exception',
        { 'exception.type': 'TypeError', 'exception.message': 'no such order', 'exception.stacktrace': error.stack },
      ],
    ]);
    expect(recorded(new ConfigurationError('job', ['no cron']))).toMatchObject([
      ['exception', { 'exception.type': 'CONFIGURATION' }],
    ]);
    expect(recorded('no such order')).toMatchObject([['exception', { 'exception.message': 'no such order' }]]);
  });

  it.each(
    ['message', 'name', 'stack', 'code', 'cause', 'class'].flatMap((field) =>
      Array.from({ length: 7 }, (_, looks) => [field, looks] as const),
    ),
  )('is recorded also of an error whose %s throws after %i looks', (field, looks) => {
    expect(recorded(fragile(field, looks))).toMatchObject([['exception', {}]]);
  });
});
