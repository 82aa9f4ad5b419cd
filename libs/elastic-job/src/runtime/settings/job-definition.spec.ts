import { expect, it } from 'vitest';
import {
  type BegunItem,
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  listenersOf,
  readListener,
  resolveJobOptions,
  type RunTrace,
  type ShardingContext,
} from '../../domain/index.js';
import { handlerOf, type JobDefinition, knownListeners, withOnceTypes } from './job-definition.js';

const audit: ElasticJobListener = { type: 'audit', beforeJobExecuted() {}, afterJobExecuted() {} };
const nameless: ElasticJobListener = { beforeJobExecuted() {}, afterJobExecuted() {} };

class Once extends DistributeOnceElasticJobListener {
  override readonly type = 'once';
  override doBeforeJobExecutedAtLastStarted() {}
  override doAfterJobExecutedAtLastCompleted() {}
}

const DEFINITION = definitionOf([]);

it('are those of the job, and then those of the process', () => {
  expect(known(['audit'], [nameless], [audit])).toEqual([nameless, audit].map(readListener));
  expect(known([], undefined, [audit])).toEqual([readListener(audit)]);
  expect(known(['audit'], [audit], [])).toEqual([readListener(audit)]);
});

it('are read once: getters that fail later, or say something else, change nothing', () => {
  let reads = 0;
  const read = <Value>(value: Value): Value => ((reads += 1) > 2 ? fail() : value);
  const changing: ElasticJobListener = {
    ...nameless,
    get type() {
      return read('audit');
    },
    get order() {
      return read(5);
    },
  };

  const [listener] = known(['audit'], undefined, [changing]);

  expect(listenersOf({ jobListenerTypes: ['audit'] }, [listener!])).toMatchObject([{ type: 'audit', order: 5 }]);
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

it('tell the types of those that distribute once, for the node', () => {
  const untyped = Object.assign(new Once(), { type: undefined });
  const onceListenerTypes = ['once'];
  expect(withOnceTypes(DEFINITION, [audit, new Once(), untyped].map(readListener))).toEqual({
    ...DEFINITION,
    onceListenerTypes,
  });
  expect(withOnceTypes(DEFINITION, [audit, nameless, untyped].map(readListener))).toBe(DEFINITION);
});

it('are only those that distribute once where tasks do the work, which call the others', () => {
  const listeners = [audit, new Once()];
  expect(knownListeners({ ...DEFINITION, tasks: 'adoptable' }, listeners)).toEqual(
    listeners.slice(1).map(readListener),
  );
});

it.each([
  ['tasks get it for the parent of their spans', 'adoptable', 'parent of 2'],
  ['handlers of this process need none', undefined, undefined],
] as const)('the trace of a run goes with the begin of an item: %s', async (_, tasks, parent) => {
  const seen: (BegunItem | undefined)[] = [];
  const trace: RunTrace = Object.assign(Object.create(null), {
    aroundItem: <Result>(_context: ShardingContext, handle: () => Result) => handle(),
    traceparentOf: (item: number) => `parent of ${item}`,
  });
  const handler = handlerOf({ handler: (_context, begun) => seen.push(begun), tasks }, trace, new Map());
  const context: ShardingContext = Object.assign(Object.create(null), { shardingItem: 2 });
  const begun: BegunItem = Object.assign(Object.create(null), { run: 'r', launch: 1 });

  await handler(context, begun);
  await handler(context);

  expect(seen.map((one) => [one?.run, one?.launch, one?.trace?.traceparent])).toEqual([
    ['r', 1, parent],
    [undefined, undefined, undefined],
  ]);
  expect(seen[1]).toBeUndefined();
});

function known(types: readonly string[], own: readonly ElasticJobListener[] | undefined, shared: ElasticJobListener[]) {
  const definition = definitionOf(types);
  return knownListeners(own === undefined ? definition : { ...definition, listeners: own }, shared);
}

function fail(): never {
  throw new Error('its settings are gone');
}

function definitionOf(jobListenerTypes: readonly string[]): JobDefinition {
  const configuration = resolveJobOptions(
    { name: 'settle', cron: '* * * * * ?', shardingTotalCount: 1, jobListenerTypes },
    { place: 'spec' },
  );
  return { configuration, className: 'Settle', place: 'spec', handler: () => {} };
}
