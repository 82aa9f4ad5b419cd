import { describe, expect, it } from 'vitest';
import type { DataflowJob, JobType } from '../domain/index.js';
import { all, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';
import { resolveWork } from './job-work.js';

describe('what a job does', () => {
  const { clock, run } = setUp({ items: [1], options: { props: { 'streaming.process': 'false' } } });

  it('is a function as it stands: nobody judges its props', () => {
    const handler = () => {};

    expect(resolveWork(clock, handler)).toEqual({ handler });
  });

  it('is a dataflow that fetches and processes, and whose props are judged', async () => {
    const processed: unknown[] = [];
    const dataflow: DataflowJob = {
      fetchData: ({ shardingItem }) => [shardingItem],
      processData: (_context, rows) => void processed.push(...rows),
    };
    const work = resolveWork(clock, dataflow);

    expect(await all(run(work.handler))).toEqual([{ item: 1, outcome: SUCCEEDED }]);
    expect(processed).toEqual([1]);
    expect(work.findPropsFaults!({ 'streaming.process': 'yes' })).toHaveLength(1);
    expect([work.targets, work.tasks]).toEqual([undefined, undefined]);
  });

  it('is the work of a type, which judges its props and names those that say what is run', async () => {
    class Reports implements JobType {
      readonly type = 'REPORTS';
      readonly targets = { 'report.url': {} };
      readonly made: number[] = [];

      findFaults({ 'report.url': url }: Readonly<Record<string, string>>): readonly string[] {
        return url === undefined ? [`${this.type}: report.url must be given`] : [];
      }

      execute({ shardingItem }: { readonly shardingItem: number }): void {
        this.made.push(shardingItem);
      }
    }
    const reports = new Reports();
    const lease = setUp({ items: [2] });
    const work = resolveWork(clock, reports);

    expect(await all(lease.run(work.handler))).toEqual([{ item: 2, outcome: SUCCEEDED }]);
    expect(reports.made).toEqual([2]);
    expect(work.findPropsFaults!({})).toEqual(['REPORTS: report.url must be given']);
    expect(work.targets).toEqual({ 'report.url': {} });
    expect([work.tasks, work.settled]).toEqual([undefined, undefined]);
  });

  it('is done by tasks if the type says so, which is told of what is settled', () => {
    const told: unknown[] = [];
    const type: JobType = {
      type: 'TASKS',
      tasks: 'bound',
      findFaults: () => [],
      execute: () => {},
      settled: (context, outcome) => void told.push(context, outcome),
    };
    const work = resolveWork(clock, type);
    const context = Object.create(null);

    void work.settled!(context, { kind: 'succeeded' });

    expect(work.tasks).toBe('bound');
    expect(told).toEqual([context, { kind: 'succeeded' }]);
  });
});
