import { describe, expect, it } from 'vitest';
import type { FoundJob } from '../../coordination/index.js';
import { type ResolvedTemplateLimits, TemplateLimitError } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { RestingJobs, UnjoinedJobs } from './resting-jobs.js';

const TEMPLATE = 'report';
const CREATED_TOGETHER = 7n;

describe('jobs beyond the limit of their template', () => {
  it('rest, the youngest first, and are told once as long as there are too many', () => {
    const { resting, told } = limitedTo(2);
    const jobs = jobsOf(['c', 1n], ['b', 3n], ['a', 2n]);

    resting.look(jobs);
    resting.look(jobs);

    expect(['a', 'b', 'c'].filter((name) => resting.has(name))).toEqual(['b']);
    expect(told).toEqual([
      {
        kind: 'error',
        jobName: undefined,
        message: 'jobs rest until others are removed: b',
        error: expect.any(TemplateLimitError),
      },
    ]);
    expect(resting.all).toMatchObject([{ template: TEMPLATE, count: 1, jobNames: ['b'] }]);
  });

  it.each([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
  ])('are chosen by their names if one transaction has created them, in whatever order they are read', (...names) => {
    const { resting } = limitedTo(1);
    resting.look(jobsOf(...names.map((name) => [name, CREATED_TOGETHER] as const)));
    expect(resting.all).toMatchObject([{ jobNames: ['b', 'c'] }]);
  });

  it('rest no more once others are being removed, and are told anew after that', () => {
    const { resting, told } = limitedTo(1);
    resting.look(jobsOf(['a', 1n], ['b', 2n]));
    const removed = { ...jobOf(1n), isBeingRemoved: true };
    resting.look(
      new Map([
        ['a', removed],
        ['b', jobOf(2n)],
      ]),
    );
    expect([resting.has('b'), resting.all]).toEqual([false, []]);

    resting.look(jobsOf(['b', 2n], ['c', 3n]));

    expect(told).toMatchObject([
      { message: expect.stringMatching(/: b$/) },
      { message: expect.stringMatching(/: c$/) },
    ]);
  });

  it('are named up to ten, and the others are counted', () => {
    const { resting, told } = limitedTo(1);
    const names = Array.from({ length: 14 }, (_, index) => String.fromCharCode(97 + index));
    resting.look(jobsOf(...names.map((name, index) => [name, BigInt(index)] as const)));
    expect(resting.all).toMatchObject([{ count: 13, jobNames: names.slice(1, 11) }]);
    expect(told).toMatchObject([{ message: expect.stringMatching(/j, k and 3 more$/) }]);
  });

  it('do not rest if this process does not have their template', () => {
    const resting = new RestingJobs(new JobEvents(), () => undefined);
    resting.look(jobsOf(['a', 1n], ['b', 2n]));
    expect(resting.all).toEqual([]);
  });
});

it('jobs that could not be joined are told by their templates, with the reason of the oldest failure', () => {
  const unjoined = new UnjoinedJobs();
  unjoined.note('a', { template: TEMPLATE, error: new Error('no disk') });
  unjoined.note('x', { template: 'import', error: new Error('no net') });
  unjoined.note('b', { template: TEMPLATE, error: new Error('no luck') });

  expect(unjoined.all).toEqual([
    {
      template: TEMPLATE,
      count: 2,
      jobNames: ['a', 'b'],
      reason: 'jobs of template "report" could not be joined (a, b): no disk',
    },
    {
      template: 'import',
      count: 1,
      jobNames: ['x'],
      reason: 'jobs of template "import" could not be joined (x): no net',
    },
  ]);
});

function limitedTo(maxJobs: number) {
  const told: JobEvent[] = [];
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const limits: ResolvedTemplateLimits = Object.assign(Object.create(null), { template: TEMPLATE, maxJobs });
  return { resting: new RestingJobs(events, () => limits), told };
}

function jobOf(czxid: bigint): FoundJob {
  return { template: TEMPLATE, isBeingRemoved: false, czxid };
}

function jobsOf(...jobs: readonly (readonly [name: string, czxid: bigint])[]): ReadonlyMap<string, FoundJob> {
  return new Map(jobs.map(([name, czxid]) => [name, jobOf(czxid)]));
}
