import { describe, expect, it } from 'vitest';
import { inJavaOrder, isInstanceId, serverIpOf } from './job-instance.js';

describe('the id of an instance', () => {
  it.each(['10.0.0.1@-@7-1a', 'a@-@b', '10.0.0.1@-@7@-@8'])('can be %s', (name) => {
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
  });

  it('is sorted as Java does, descending by code units', () => {
    expect(inJavaOrder(['a@-@2', 'a@-@10', 'B@-@1'])).toEqual(['a@-@2', 'a@-@10', 'B@-@1']);
  });
});
