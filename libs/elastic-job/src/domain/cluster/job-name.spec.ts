import { describe, expect, it } from 'vitest';
import { findJobNameFault } from './job-name.js';

describe('findJobNameFault', () => {
  it.each(['settle-orders', 'OrderJobs.nightly', 'my job_1.x', '作业', 'Zookeeper', 'a@b'])(
    'accepts "%s" as the name of a job',
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
  ])('says why %j cannot be the name of a job', (name, fault) => {
    expect(findJobNameFault(name)).toContain(fault);
  });
});
