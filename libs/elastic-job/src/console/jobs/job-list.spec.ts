import { plant, type PlantedJob, recordOf } from '@test/support/unit/console-jobs.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleProblem, type ConsoleCaller, type JobsQuery } from '../contract/index.js';
import { JobIndex } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const JOBS: Readonly<Record<string, PlantedJob>> = {
  'settle-orders': {
    config: ['cron: 0 0 2 * * ?', 'timeZone: GMT+0', "description: '[finance] settles ORDERS'"],
    running: [0],
    items: 3,
  },
  'ledger-close': {
    config: ['cron: 0 30 3 * * ?', 'timeZone: GMT+0', "description: '[finance] closes'"],
    records: { 0: recordOf('failed', 0) },
  },
  'search-index': { root: 'nestjs.template:index', instances: [], servers: { '10.0.0.9': '' } },
  archive: { servers: { '10.0.0.7': 'DISABLED' }, leader: null },
};

describe('the list of jobs', () => {
  let index: JobIndex;
  let stage: MemoryStage;
  const names = (query: JobsQuery) => index.list(query, VIEWER).items.map(({ job }) => job);

  beforeAll(async () => {
    stage = new MemoryStage();
    const registry = await stage.connected();
    for (const [job, planted] of Object.entries(JOBS)) await stage.during(() => plant(registry, job, planted));
    const parts = { registry, clock: stage.clock, redact: (text: string) => text, namespace: 'test', isShared: false };
    index = new JobIndex(parts);
    index.start();
    await stage.clock.advance(1_000);
  });

  afterAll(() => stage.during(() => index.stop()));

  it.each<readonly [JobsQuery, readonly string[]]>([
    [{}, ['archive', 'ledger-close', 'search-index', 'settle-orders']],
    [{ q: 'Settle' }, ['settle-orders']],
    [{ q: 'settles orders' }, ['settle-orders']],
    [{ q: '0 30 3' }, ['ledger-close']],
    [{ q: 'FINANCE' }, ['ledger-close', 'settle-orders']],
    [{ q: 'nowhere' }, []],
    [{ status: 'CRASHED' }, ['search-index']],
    [{ attention: 'failed' }, ['ledger-close']],
    [{ attention: 'any' }, ['archive', 'ledger-close', 'search-index']],
    [{ label: 'finance' }, ['ledger-close', 'settle-orders']],
    [{ label: 'finance', q: 'close' }, ['ledger-close']],
    [{ template: 'index' }, ['search-index']],
    [{ server: '10.0.0.9' }, ['search-index']],
  ])('has the jobs that are asked for: %j', (query, jobs) => {
    expect(names(query)).toEqual(jobs);
    expect(index.list(query, VIEWER)).toMatchObject({ matching: jobs.length, total: 4, cursor: null });
  });

  it.each<readonly [NonNullable<JobsQuery['sort']>, readonly string[]]>([
    ['-job', ['settle-orders', 'search-index', 'ledger-close', 'archive']],
    ['-attention', ['search-index', 'ledger-close', 'archive', 'settle-orders']],
    ['nextFireTime', ['settle-orders', 'ledger-close', 'archive', 'search-index']],
    ['-nextFireTime', ['ledger-close', 'settle-orders', 'archive', 'search-index']],
    ['-running', ['settle-orders', 'archive', 'ledger-close', 'search-index']],
    ['-items', ['settle-orders', 'archive', 'ledger-close', 'search-index']],
    ['instances', ['search-index', 'archive', 'ledger-close', 'settle-orders']],
    ['status', ['search-index', 'archive', 'ledger-close', 'settle-orders']],
  ])('is sorted by %s, jobs of one key by their names', (sort, jobs) => {
    expect(names({ sort })).toEqual(jobs);
  });

  it.each<NonNullable<JobsQuery['sort']>>(['job', '-job', 'status', '-running', 'nextFireTime', '-nextFireTime'])(
    'has each job on one page, sorted by %s',
    (sort) => {
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const page = index.list({ sort, limit: 1, ...(cursor !== null && { cursor }) }, VIEWER);
        paged.push(...page.items.map(({ job }) => job));
        ({ cursor } = page);
      } while (cursor !== null);

      expect(paged).toEqual(names({ sort }));
    },
  );

  it('refuses a cursor of another query, of another list, and one that was made up', () => {
    const { cursor } = index.list({ limit: 1, sort: 'running' }, VIEWER);
    const refusals: readonly JobsQuery[] = [
      { cursor: cursor!, limit: 1 },
      { cursor: cursor!, sort: '-running' },
      { cursor: 'AAAA' },
      { cursor: index.list({ limit: 1 }, VIEWER).cursor!, q: 'a' },
    ];

    for (const query of refusals) expect(() => index.list(query, VIEWER)).toThrow(ConsoleProblem);
  });

  it('sums the jobs up, the most severe and the next ones by name', () => {
    expect(index.overview(VIEWER)).toMatchObject({
      registry: { state: 'CONNECTED', namespace: 'test' },
      jobs: 4,
      indexed: 4,
      servers: 2,
      instances: 1,
      runningItems: 1,
      needing: 3,
      attention: { failed: 1, crashed: 1, disabled: 1 },
      worst: [{ job: 'search-index' }, { job: 'ledger-close' }, { job: 'archive' }],
      busiest: [{ job: 'settle-orders', running: 1, items: 3 }],
      next: [
        { job: 'settle-orders', fireTime: '2030-01-01T02:00:00.000Z' },
        { job: 'ledger-close', fireTime: '2030-01-01T03:30:00.000Z' },
      ],
      stale: false,
    });
  });

  it('has the servers with their jobs, by pages', () => {
    const first = index.servers({ limit: 1 }, VIEWER);
    const second = index.servers({ limit: 1, cursor: first.cursor! }, VIEWER);

    expect(first).toMatchObject({ total: 2, matching: 2, items: [{ ip: '10.0.0.7', jobs: 3, disabledJobs: 1 }] });
    expect(second).toMatchObject({
      items: [{ ip: '10.0.0.9', instances: [], jobs: 1, disabledJobs: 0 }],
      cursor: null,
    });
    expect(index.server('10.0.0.7', VIEWER)).toMatchObject({ disabledJobNames: ['archive'] });
  });

  it('finds servers by a part of their address, with cursors of that search alone', () => {
    const { cursor, ...counts } = index.servers({ q: '0.0.', limit: 1 }, VIEWER);

    expect(counts).toMatchObject({ total: 2, matching: 2 });
    expect(index.servers({ q: '0.9' }, VIEWER)).toMatchObject({ total: 2, matching: 1, items: [{ ip: '10.0.0.9' }] });
    expect(index.servers({ q: 'x' }, VIEWER)).toMatchObject({ total: 2, matching: 0, items: [] });
    expect(() => index.servers({ q: '0.9', cursor: cursor! }, VIEWER)).toThrow(ConsoleProblem);
  });
});
