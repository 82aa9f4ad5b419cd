import { ElasticJob, ElasticJobModule, type JobEvent } from '@app/elastic-job';
import { ElasticJobMetricsModule, JobMetrics } from '@app/elastic-job/metrics';
import { openTelemetryTracer } from '@app/elastic-job/opentelemetry';
import { createTestCluster } from '@app/elastic-job/testing';
import { Module } from '@nestjs/common';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, onTestFinished } from 'vitest';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0/10 * * * * ?', shardingTotalCount: 4 })
  settle(): void {}
}

describe('telemetry', () => {
  it('with history, metrics and spans costs 3 requests for a trigger in steady state', async () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const heard: JobEvent['kind'][] = [];
    const history = { name: 'history', hear: ({ kind }: JobEvent) => void heard.push(kind) };
    const tracer = openTelemetryTracer({ tracerProvider });

    @Module({
      imports: [ElasticJobModule.forRoot({ tracer, tracing: [history] }), ElasticJobMetricsModule.forRoot()],
      providers: [OrderJobs],
    })
    class AppModule {}
    const cluster = await createTestCluster({ instances: 1, module: AppModule });
    onTestFinished(() => cluster.stop());
    await cluster.advance(14_000); // The first run of a job is not steady state.
    const before = { ...cluster.instances[0]!.center.traffic };
    exporter.reset();

    await cluster.advance(9_000);
    await cluster.app(0).get(JobMetrics).registry.metrics();

    const { foreground, background } = cluster.instances[0]!.center.traffic;
    expect({ foreground: foreground - before.foreground, background: background - before.background }).toEqual({
      foreground: 3,
      background: 0,
    });
    expect(exporter.getFinishedSpans()).toHaveLength(1 + 4);
    expect(heard).toContain('finished');
  });
});
