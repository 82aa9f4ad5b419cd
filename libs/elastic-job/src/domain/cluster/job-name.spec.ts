import { describe, expect, it } from 'vitest';
import { findJobNameFault } from './job-name.js';

describe('findJobNameFault', () => {
  it.each(['settle-orders', 'OrderJobs.nightly', 'my job_1.x', '作业', 'Zookeeper', 'a@b'])(
    'given "%s", when judged, then it can be a job',
    (name) => {
      expect(findJobNameFault(name)).toBeUndefined();
    },
  );

  it.each([
    ['', 'not empty'],
    [7, 'not empty'],
    ['a/b', '"/"'],
    ['a@-@b', '"@-@"'],
    ['.', 'relative path'],
    ['..', 'relative path'],
    ['zookeeper', 'ZooKeeper'],
    ['a\nb', 'control'],
    ['a\u0085b', 'control'],
    ['😀job', 'emoji'],
    ['a\ud800', 'control, private-use or astral'],
    ['a\ue000', 'private-use'],
    ['a\ufff0', 'control, private-use or astral'],
    ['a+b', 'Java'],
    ['a(b', 'Java'],
    ['a\\b', 'Java'],
  ])('given %j, when judged, then the fault says why', (name, fault) => {
    expect(findJobNameFault(name)).toContain(fault);
  });
});
