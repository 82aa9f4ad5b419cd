import { expect, it } from 'vitest';
import { type ElasticJobListener, resolveJobOptions } from '../../domain/index.js';
import { knownListeners } from './known-listeners.js';

const audit: ElasticJobListener = { type: 'audit', beforeJobExecuted() {}, afterJobExecuted() {} };
const nameless: ElasticJobListener = { beforeJobExecuted() {}, afterJobExecuted() {} };

it('are those of the job, and then those of the process', () => {
  expect(known(['audit'], [nameless], [audit])).toEqual([nameless, audit]);
  expect(known([], undefined, [audit])).toEqual([audit]);
  expect(known(['audit'], [audit], [])).toEqual([audit]);
});

it('name what was meant where the job names a type that none has', () => {
  expect(() => known(['audlt'], undefined, [audit])).toThrow(
    'job "settle" (spec): jobListenerTypes has "audlt", but none of the module\'s `listeners` is of that type; ' +
      'did you mean "audit"?',
  );
});

it('name all that are known where nothing like it is, and none if there are none', () => {
  expect(() => known(['zzzzzzzzz'], [nameless], [audit])).toThrow(/; known are audit$/);
  expect(() => known(['zzzzzzzzz'], [nameless], [])).toThrow(/; known are none$/);
});

function known(types: readonly string[], own: readonly ElasticJobListener[] | undefined, shared: ElasticJobListener[]) {
  const configuration = resolveJobOptions(
    { name: 'settle', cron: '* * * * * ?', shardingTotalCount: 1, jobListenerTypes: types },
    { place: 'spec' },
  );
  const definition = { configuration, className: 'Settle', place: 'spec', handler: () => {} };
  return knownListeners(own === undefined ? definition : { ...definition, listeners: own }, shared);
}
