import { describe, expect, it } from 'vitest';
import type { VersionAnswer } from '../../../src/console/contract/answers.js';
import { deployIn } from './deploy.js';

const release = (version: string | null, since: number, lastJoined: number, facts: Partial<VersionAnswer> = {}) => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 30, 2, minute)).toISOString();
  const usual = { instances: 2, drainingInstances: 0, jobs: 4, mixedJobs: 3 };
  return { ...usual, version, since: at(since), lastJoined: at(lastJoined), ...facts };
};
const OLD = release('1.42.0', 0, 4, { instances: 5 });
const NEW = release('1.43.1', 8, 12);

describe('a deploy', () => {
  it('is a release that replaces another one: it has joined after all of that', () => {
    expect(deployIn({ versions: [NEW, OLD], drainingInstances: 1 })).toEqual({
      to: NEW,
      others: [OLD],
      instances: 7,
      jobs: 3,
    });
  });

  it('replaces several releases, and those that tell none', () => {
    const silent = release(null, 2, 3);
    expect(deployIn({ versions: [NEW, OLD, silent], drainingInstances: 0 })).toMatchObject({
      to: NEW,
      others: [OLD, silent],
    });
  });

  it('has no direction in a rollback: an instance of the old release has joined after those of the new one', () => {
    const back = { ...OLD, lastJoined: release('', 0, 20).lastJoined };
    expect(deployIn({ versions: [back, NEW], drainingInstances: 0 })).toMatchObject({
      to: undefined,
      others: [back, NEW],
    });
  });

  it('is none where releases share no job, as those of several applications', () => {
    const apart = [NEW, OLD].map((one) => ({ ...one, mixedJobs: 0 }));
    expect(deployIn({ versions: apart, drainingInstances: 0 })).toBeNull();
  });

  it('is none where one release runs, unless somebody leaves', () => {
    const alone = { ...NEW, mixedJobs: 0 };
    expect(deployIn({ versions: [alone], drainingInstances: 0 })).toBeNull();
    expect(deployIn({ versions: [alone], drainingInstances: 1 })).toEqual({
      to: undefined,
      others: [],
      instances: 0,
      jobs: 0,
    });
  });

  it('has no direction where of many releases only one is told', () => {
    expect(deployIn({ versions: [NEW], drainingInstances: 0 })).toMatchObject({ to: undefined, others: [NEW] });
  });
});
