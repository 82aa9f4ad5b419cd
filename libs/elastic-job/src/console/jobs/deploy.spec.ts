import { JAVA, OWN, plant, type PlantedJob } from '@test/support/unit/console-jobs.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DRAINING } from '../../coordination/index.js';
import type { ConsoleCaller } from '../contract/index.js';
import { JobIndex } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const SECOND = '10.0.0.9@-@2-b';
const MINUTE = 60_000;

describe('the releases that run', () => {
  it('are told with their instances and jobs, and since when each runs, the last to join first', async () => {
    const stage = await setUp();
    const versions = { [OWN]: '1.42.0', [SECOND]: '1.43.1' };
    const first = await stage.plant({ a: { instances: [OWN], versions }, b: { instances: [OWN], versions } });
    const second = await stage.plant({ c: { instances: [SECOND, JAVA], versions } });

    expect(stage.overview()).toMatchObject({
      instances: 3,
      versions: [
        { version: '1.43.1', instances: 1, jobs: 1, mixedJobs: 0, since: second, lastJoined: second },
        { version: '1.42.0', instances: 1, jobs: 2, mixedJobs: 0, since: first, lastJoined: first },
      ],
    });
  });

  it('are mixed in the jobs that have instances of several of them', async () => {
    const stage = await setUp();
    const versions = { [OWN]: '1.42.0', [SECOND]: '1.43.1' };
    const first = await stage.plant({ a: { instances: [OWN], versions } });
    const second = await stage.plant({ b: { instances: [OWN, SECOND, JAVA], versions } });

    expect(stage.overview().versions).toEqual([
      {
        version: '1.43.1',
        instances: 1,
        drainingInstances: 0,
        jobs: 1,
        mixedJobs: 1,
        since: second,
        lastJoined: second,
      },
      { version: '1.42.0', instances: 1, drainingInstances: 0, jobs: 2, mixedJobs: 1, since: first, lastJoined: first },
    ]);
  });

  it('have instances of ours that tell none beside them, and none of Java', async () => {
    const stage = await setUp();
    await stage.plant({ a: { instances: [OWN, SECOND, JAVA], versions: { [SECOND]: '1.43.1' } } });

    const found = stage.overview().versions.map(({ mixedJobs, version }) => [version, mixedJobs]);
    expect(found).toEqual([
      ['1.43.1', 1],
      [null, 1],
    ]);
  });
});

it('tells who leaves, for how long, and how many jobs, the longest first', async () => {
  const stage = await setUp();
  const versions = { [OWN]: '1.42.0', [SECOND]: '1.43.1' };
  const both = { instances: [OWN, SECOND], versions, sessions: { [OWN]: '', [SECOND]: 'clock 4' } };
  await stage.plant({ a: both, b: both });
  const told: string[] = [];
  stage.index.onChange((job) => told.push(job ?? ''));

  const since = await stage.leave(SECOND, 'a');
  const later = await stage.leave(OWN, 'b');
  await stage.leave(OWN, 'a');

  expect(stage.overview()).toMatchObject({
    drainingInstances: 2,
    draining: [
      { instance: SECOND, ip: '10.0.0.9', version: '1.43.1', jobs: 1, since },
      { instance: OWN, ip: '10.0.0.7', version: '1.42.0', jobs: 2, since: later },
    ],
    versions: [
      { version: '1.43.1', drainingInstances: 1 },
      { version: '1.42.0', drainingInstances: 1 },
    ],
  });
  // Live views hear of it.
  expect(told).toEqual(['a', 'b', 'a']);
});

async function setUp() {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  const parts = { registry, clock: stage.clock, redact: (text: string) => text, namespace: 'test', isShared: false };
  const index = new JobIndex(parts);
  index.start();
  onTestFinished(() => stage.during(() => index.stop()));
  /** Each change takes a minute. @returns when it was made */
  const doing = async (work: () => Promise<unknown>) => {
    const at = new Date(stage.clock.wallNow()).toISOString();
    await stage.during(work);
    await stage.clock.advance(MINUTE);
    return at;
  };
  return {
    index,
    overview: () => index.overview(VIEWER),
    plant: (jobs: Readonly<Record<string, PlantedJob>>) =>
      doing(() => Promise.all(Object.entries(jobs).map(([job, planted]) => plant(registry, job, planted)))),
    leave: (instance: string, job: string) => doing(() => registry.set(`/${job}/sessions/${instance}`, DRAINING)),
  };
}
