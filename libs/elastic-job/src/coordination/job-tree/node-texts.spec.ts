import { describe, expect, it } from 'vitest';
import { ABILITIES, PROTOCOL } from '../../domain/index.js';
import { formatInstance, formatTriggerRequest, parseInstance, parseTriggerRequest } from './node-texts.js';

const INSTANCE = { jobInstanceId: '10.0.0.1@-@7-1a', serverIp: '10.0.0.1', version: '1.43.1' };

describe('the text of an instance node', () => {
  it('is known as ours after it is written and read', () => {
    expect(parseInstance(INSTANCE.jobInstanceId, '?', formatInstance(INSTANCE))).toEqual({
      ...INSTANCE,
      isOurs: true,
      protocol: PROTOCOL,
      can: ABILITIES,
    });
  });

  it('has only the keys that Java knows', () => {
    const keys = formatInstance(INSTANCE)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(keys).toEqual(['jobInstanceId', 'labels', 'serverIp']);
  });

  it('is known as ours if a later version of ours wrote it', () => {
    const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, '$121');
    expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 21 });
  });

  it('has the first protocol if its label names none', () => {
    const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, '$1x');
    expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 1 });
  });

  it.each(['-1', '-1e999', '0', '9'.repeat(400)])(
    'has the first protocol if its label names the protocol %s',
    (protocol) => {
      const text = formatInstance(INSTANCE).replace(/(labels: .*\/)1/, `$1${protocol}`);
      expect(parseInstance(INSTANCE.jobInstanceId, '?', text)).toMatchObject({ isOurs: true, protocol: 1 });
    },
  );

  it.each([
    ['Java 3.0.5', 'jobInstanceId: 10.0.0.1@-@7\nserverIp: 10.0.0.1\n'],
    ['Java with labels', 'jobInstanceId: 10.0.0.1@-@7\nlabels: blue\nserverIp: 10.0.0.1\n'],
    ['Java without labels', 'jobInstanceId: 10.0.0.1@-@7\nlabels: null\nserverIp: 10.0.0.1\n'],
  ])('is known as that of a peer if it comes from %s', (_, text) => {
    expect(parseInstance('10.0.0.1@-@7', '?', text)).toEqual({
      jobInstanceId: '10.0.0.1@-@7',
      serverIp: '10.0.0.1',
      isOurs: false,
      can: [],
    });
  });

  it('may be empty, and the address then comes from the name of the node', () => {
    expect(parseInstance('10.0.0.1@-@7', '10.0.0.1', '')).toMatchObject({ serverIp: '10.0.0.1', isOurs: false });
  });
});

describe('the text of a request for a run', () => {
  it.each([
    { id: 'a', parameters: undefined },
    { id: 'a', parameters: 'day=2026-11-21\n"作业"' },
  ])('is read as it was written: %j', (request) => {
    expect(parseTriggerRequest(formatTriggerRequest(request))).toEqual(request);
  });

  it.each(['', 'x', '1', 'null', '[]', '{}', '{"id":""}', '{"id":1}'])('is not one of ours if it is %j', (text) => {
    expect(parseTriggerRequest(text)).toBeUndefined();
  });
});
