import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../domain/index.js';
import { formatInstance, parseInstance } from './instance-text.js';

const INSTANCE = { jobInstanceId: '10.0.0.1@-@7-1a', serverIp: '10.0.0.1' };

describe('the text of an instance node', () => {
  it('given one of ours, when it is written and read, then it is known as ours', () => {
    expect(parseInstance(INSTANCE.jobInstanceId, '?', formatInstance(INSTANCE))).toEqual({
      ...INSTANCE,
      isOurs: true,
      protocol: PROTOCOL,
    });
  });

  it('given one of ours, when it is written, then it has the keys that Java knows and no other', () => {
    const keys = formatInstance(INSTANCE)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(keys).toEqual(['jobInstanceId', 'labels', 'serverIp']);
  });

  it('given one of a later version of ours, when it is read, then it is ours as well', () => {
    const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, '$121');
    expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 21 });
  });

  it('given one of ours whose label names no protocol, when it is read, then it has the first', () => {
    const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, '$1x');
    expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 1 });
  });

  it.each(['-1', '-1e999', '0', '9'.repeat(400)])(
    'given one of ours with the protocol %s, when it is read, then it has the first',
    (protocol) => {
      const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, `$1${protocol}`);
      expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 1 });
    },
  );

  it.each([
    ['Java 3.0.5', 'jobInstanceId: 10.0.0.1@-@7\nserverIp: 10.0.0.1\n'],
    ['Java with labels', 'jobInstanceId: 10.0.0.1@-@7\nlabels: blue\nserverIp: 10.0.0.1\n'],
    ['Java without labels', 'jobInstanceId: 10.0.0.1@-@7\nlabels: null\nserverIp: 10.0.0.1\n'],
  ])('given an instance of %s, when it is read, then it is a peer', (_, text) => {
    expect(parseInstance('10.0.0.1@-@7', '?', text)).toEqual({
      jobInstanceId: '10.0.0.1@-@7',
      serverIp: '10.0.0.1',
      isOurs: false,
    });
  });

  it('given a node without text, when it is read, then its name tells the address', () => {
    expect(parseInstance('10.0.0.1@-@7', '10.0.0.1', '')).toMatchObject({ serverIp: '10.0.0.1', isOurs: false });
  });
});
