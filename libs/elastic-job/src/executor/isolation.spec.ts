import { describe, expect, it } from 'vitest';
import { resolveJobOptions, type JobOptions, type ShardingContext } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { isolate, type ThreadWork, type WorkerPool } from './isolation.js';

const MODULE = 'file:///app/render.js';
const ISOLATED = { isolation: 'worker-thread', workerModule: MODULE } as const;

describe('the handler of a job', () => {
  it("is the job's own where nothing asks for a thread", async () => {
    const handler = () => 'own';
    expect(isolated({}, { handler }).handler).toBe(handler);
  });

  it("passes the result of the job's method to the thread, which is ended only if the job says so", async () => {
    const context: ShardingContext = Object.assign(Object.create(null), { jobName: 'render' });
    const { handler, works } = isolated({ ...ISOLATED }, { handler: async () => 'input' });
    await handler(context);
    const terminating = isolated({ ...ISOLATED, onHung: 'terminate' }, { handler: () => 'input' });
    await terminating.handler(context);

    expect(works).toMatchObject([{ module: MODULE, context, input: 'input', endAfterMs: undefined }]);
    expect(terminating.works).toMatchObject([{ module: MODULE, input: 'input', endAfterMs: 5_000 }]);
  });

  it.each<[string, Partial<JobOptions>, Partial<Given>, RegExp]>([
    ['that has no thread and is to be terminated', { onHung: 'terminate' }, {}, /onHung "terminate" needs isolation/],
    ['whose work is no function', ISOLATED, { findPropsFaults: () => [] }, /needs a function as the work of the job/],
    ['without a pool', ISOLATED, { pool: undefined }, /needs a pool of threads: give new WorkerThreads\(\)/],
    ['whose module is not there', ISOLATED, { fault: 'must be there' }, /workerModule must be there, but is "file:/],
    ['whose pool finds no text', ISOLATED, { fault: Object.create(null) }, /findFault must return a text or undefined/],
  ])('is refused by name for a job %s', (_, options, given, fault) => {
    expect(() => isolated(options, given)).toThrow(fault);
    expect(() => isolated(options, given)).toThrow('job "render" (Renders.render)');
  });
});

interface Given {
  readonly handler: () => unknown;
  readonly pool: WorkerPool | undefined;
  readonly fault: string | undefined;
  readonly findPropsFaults: () => readonly string[];
}

function isolated(
  options: Partial<JobOptions>,
  { handler = () => {}, fault, findPropsFaults, ...more }: Partial<Given>,
) {
  const works: ThreadWork[] = [];
  const own: WorkerPool = {
    findFault: () => fault,
    run: async (work) => void works.push(work),
    close: async () => {},
  };
  const pool = 'pool' in more ? more.pool : own;
  const configuration = resolveJobOptions(
    { name: 'render', cron: '* * * * * ?', shardingTotalCount: 1, ...options },
    { place: 'spec' },
  );
  const isolation = { pool, clock: new VirtualClock(), hungGraceMs: 5_000, configuration: () => configuration };
  const job = { configuration, place: 'Renders.render', handler, ...(findPropsFaults && { findPropsFaults }) };
  return { works, handler: isolate(job, isolation) };
}
