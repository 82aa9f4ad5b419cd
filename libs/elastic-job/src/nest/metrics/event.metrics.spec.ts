import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { SettledOutcome, Trigger } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { JobEvent } from '../../tracing/index.js';
import { EventMetrics } from './event.metrics.js';
import { JobLabels } from './job-series.js';
import { MetricSet } from './metric-set.js';

function setUp() {
  const clock = new VirtualClock();
  const registry = new Registry();
  const metrics = new EventMetrics(new MetricSet(registry), new JobLabels(100, () => true), {}, ['PAGER']);
  const triggerOf = (jobName: string, more: Partial<Trigger> = {}): Trigger => ({
    jobName,
    fireTime: clock.wallNow(),
    origin: 'schedule',
    source: 'NORMAL_TRIGGER',
    ...more,
  });
  return {
    clock,
    triggerOf,
    begin: (trigger: Trigger) => metrics.receive({ kind: 'begun', trigger, taskId: 't', items: [0] }),
    start: (trigger: Trigger, item: number, latenessMs?: number) =>
      metrics.receive({ kind: 'started', trigger, taskId: 't', item, attempt: 1, latenessMs }),
    hear: (event: JobEvent) => metrics.receive(event),
    settle: (trigger: Trigger, outcome: SettledOutcome, durationMs: number) =>
      metrics.receive({ kind: 'settled', trigger, taskId: 't', item: 0, outcome, durationMs }),
    /** Lines of a scrape: `name{label="value"} number`. */
    lines: async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name)),
  };
}

describe('EventMetrics', () => {
  it('counts each of many values in its bucket', async () => {
    const { triggerOf, settle, lines } = setUp();
    const trigger = triggerOf('a');
    for (let run = 0; run < 2_500; run += 1) settle(trigger, { kind: 'succeeded' }, run < 2_000 ? 40 : 4_000);

    const duration = 'elastic_job_item_duration_seconds';
    expect(await lines(duration)).toEqual(
      expect.arrayContaining([
        `${duration}_bucket{le="0.01",job="a"} 0`,
        `${duration}_bucket{le="0.05",job="a"} 2000`,
        `${duration}_bucket{le="5",job="a"} 2500`,
        `${duration}_count{job="a"} 2500`,
      ]),
    );
    expect(await lines(`${duration}_count`), 'a scrape takes nothing away').toEqual([
      `${duration}_count{job="a"} 2500`,
    ]);
  });

  it('counts the lateness of a run of two items once, by its source', async () => {
    const { triggerOf, begin, start, lines } = setUp();
    const trigger = triggerOf('a', { source: 'MISFIRE' });
    begin(trigger);
    start(trigger, 0, 20_000);
    start(trigger, 1);

    const lateness = 'elastic_job_lateness_seconds';
    expect(await lines(`${lateness}_sum`)).toEqual([`${lateness}_sum{job="a",source="MISFIRE"} 20`]);
    expect(await lines(`${lateness}_count`)).toEqual([`${lateness}_count{job="a",source="MISFIRE"} 1`]);
    expect(await lines('elastic_job_runs_total{job="a",source="MISFIRE"}')).toHaveLength(1);
  });

  it('puts 10,000 types of the registry that this process lacks into one series', async () => {
    const { hear, lines } = setUp();
    const failed = (type: string) => hear({ kind: 'error-handler-failed', jobName: 'a', type, error: undefined });
    for (let edit = 0; edit < 10_000; edit += 1) failed(`TYPE-${edit}`);
    failed('PAGER');

    expect(await lines('elastic_job_error_handler_failures_total')).toEqual([
      'elastic_job_error_handler_failures_total{job="a",type="other"} 10000',
      'elastic_job_error_handler_failures_total{job="a",type="PAGER"} 1',
    ]);
  });

  it('counts work without an answer as errors of its jobs, as often as it was told', async () => {
    const { hear, lines } = setUp();
    const counts = new Map([
      ['a', 3],
      ['', 1],
    ]);
    hear({ kind: 'unanswered', counts, error: undefined });
    hear({ kind: 'error', jobName: 'a', message: 'no', error: undefined });
    hear({ kind: 'error', jobName: undefined, message: 'no', error: undefined });

    expect((await lines('elastic_job_errors_total')).toSorted()).toEqual([
      'elastic_job_errors_total{job=""} 2',
      'elastic_job_errors_total{job="a"} 4',
    ]);
  });
});
