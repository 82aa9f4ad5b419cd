import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { JobLabels, SeriesHistogram } from './job-series.js';

const NAME = 'elastic_job_lateness_seconds';
const HELP = 'From the due instant';
const BOUNDS = [0.005, 0.25, 1, 60];
const JOBS = ['a', 'quoted "b"', 'c'];

/** The same values in both histograms, each in a registry of its own; job c has none. */
function setUp() {
  const [ours, theirs] = [new Registry(), new Registry()];
  const counted = new SeriesHistogram<'job'>(NAME, HELP, BOUNDS, ours);
  const observed = new Histogram({ name: NAME, help: HELP, labelNames: ['job'], buckets: BOUNDS, registers: [theirs] });
  const series = JOBS.map((job) => counted.of({ job }));
  const values = [0, 0.005, 0.0051, 0.2, 0.25, 0.3, 1, 59, 60, 61, 3_600];
  for (const [at, value] of values.entries()) {
    series[at % 2]!.add(value);
    observed.observe({ job: JOBS[at % 2]! }, value);
  }
  return { ours, theirs, counted };
}

describe('SeriesHistogram', () => {
  it("scrapes as prom-client's histogram of the same values does", async () => {
    const { ours, theirs } = setUp();
    expect(await ours.metrics()).toBe(await theirs.metrics());
    expect(await ours.metrics(), 'a scrape takes nothing away').toBe(await theirs.metrics());
  });

  it('is merged by the registry of a cluster', async () => {
    const { ours, theirs } = setUp();
    const merged = async (registry: Registry) => {
      const ofProcess = await registry.getMetricsAsJSON();
      return AggregatorRegistry.aggregate([ofProcess, ofProcess]).metrics();
    };
    expect(await merged(ours)).toBe(await merged(theirs));
    expect(await merged(ours)).toContain(`${NAME}_count{job="a"} 12`);
  });

  it('begins anew when its registry is reset', async () => {
    const { ours, counted } = setUp();
    ours.resetMetrics();
    expect(await ours.metrics()).not.toContain(`${NAME}_count`);
    counted.of({ job: 'a' }).add(2);
    expect(await ours.metrics()).toContain(`${NAME}_sum{job="a"} 2`);
  });

  it('takes a name only once', () => {
    const { ours } = setUp();
    expect(() => new SeriesHistogram(NAME, HELP, BOUNDS, ours)).toThrow('already been registered');
  });
});

describe('JobLabels', () => {
  it('keeps the label of a job that comes back between two scrapes', () => {
    const here = new Set(['a']);
    const labels = new JobLabels(2, (jobName) => here.has(jobName));
    const freed: string[] = [];
    labels.onFreed((job) => void freed.push(job));
    labels.of('a');
    here.delete('a');
    labels.scrape();
    here.add('a');
    labels.scrape();
    here.delete('a');
    labels.scrape();

    expect([labels.of('a'), freed]).toEqual(['a', []]);
  });
});
