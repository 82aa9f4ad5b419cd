import { describe, expect, it } from 'vitest';
import { findJobNameFault, inDescendingOrder, isInstanceId, processOf, serverIpOf } from './names.js';

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

describe('the id of an instance', () => {
  it.each(['10.0.0.1@-@7-1a', 'a@-@b', '10.0.0.1@-@7@-@8', 'fd00::2@-@7-1a', 'pod-7@-@1-1a'])('can be %s', (name) => {
    expect(isInstanceId(name)).toBe(true);
  });

  it.each(['', 'junk', '@-@7', '10.0.0.1@-@', 'a@b@-@7', '10.0.0.1@7', 'a@-@b\nc', '\na@b@-@c'])(
    'cannot be %o',
    (name) => {
      expect(isInstanceId(name)).toBe(false);
    },
  );

  it('begins with the address of its server', () => {
    expect(serverIpOf('10.0.0.1@-@7-1a')).toBe('10.0.0.1');
    expect(serverIpOf('2001:db8::7@-@7-1a')).toBe('2001:db8::7');
  });

  it('names a process that stays when its session is another', () => {
    expect(processOf('10.0.0.1@-@7-1a')).toBe('10.0.0.1@-@7');
    expect(processOf('fd00::2@-@7-1a')).toBe('fd00::2@-@7');
    expect(processOf('10.0.0.1@-@web-1')).toBe('10.0.0.1@-@web-1'); // chosen by the user: no session is in it
    expect(processOf('10.0.0.1@-@4711-1a')).toBe('10.0.0.1@-@4711');
    expect(processOf('10.0.0.1@-@7-1a-web')).toBe('10.0.0.1@-@7-1a-web'); // chosen by the user as well
    expect(processOf('10.0.0.1@-@7')).toBe('10.0.0.1@-@7'); // Java's
  });

  it('is sorted as Java does, descending by code units', () => {
    expect(inDescendingOrder(['a@-@2', 'a@-@10', 'B@-@1'])).toEqual(['a@-@2', 'a@-@10', 'B@-@1']);
  });
});
