import { isDate } from 'node:util/types';
import {
  type Checkpoint,
  ConfigurationError,
  formatCheckpoint,
  formatTaskId,
  having,
  isOptionsObject,
  LeaseLostError,
  MissingTokenError,
  oneOf,
  type OptionRow,
  OptionTable,
  rule,
  type ShardingContext,
  text,
  wholeNumber,
} from '../domain/index.js';

/** Fields of a context that a test makes. Those that are left out have defaults. */
export type ShardingContextOptions = Partial<ShardingContext>;

const SOURCES = ['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER'] as const satisfies readonly ShardingContext['source'][];
const INSTANCE_ID = '10.0.0.1@-@1';

const func = rule('a function', (value) => typeof value === 'function');

/** A field that is missing here does not compile, so the made context has all of them. */
const TABLE = new OptionTable(
  {
    jobName: { rule: text() },
    taskId: { rule: text() },
    jobParameter: { rule: text() },
    shardingTotalCount: { rule: wholeNumber({ from: 1 }) },
    shardingItem: { rule: wholeNumber({ from: 0 }) },
    shardingParameter: { rule: text() },
    fireTime: { rule: rule('a valid Date', (value) => isDate(value) && !Number.isNaN(value.getTime())) },
    source: { rule: oneOf(SOURCES) },
    trigger: { rule: rule('"schedule" or an object with an id', isTrigger) },
    attempt: { rule: wholeNumber({ from: 1 }) },
    signal: { rule: having('an AbortSignal', 'addEventListener', 'throwIfAborted') },
    token: { rule: rule('a bigint', (value) => typeof value === 'bigint') },
    tokenEpoch: { rule: wholeNumber({ from: 0 }) },
    checkpoint: { rule: having('a Checkpoint', 'save', 'load', 'clear') },
    props: { rule: rule('texts by name', areTexts) },
    assertHeld: { rule: func },
    isMoving: { rule: func },
  } satisfies Readonly<Record<keyof ShardingContext, OptionRow>>,
  'createShardingContext',
);

/**
 * Makes the context of one item, to call a job's method in a unit test. Like the one of a run it is frozen and has
 * every field.
 *
 * ```ts
 * await jobs.report(createShardingContext({ shardingItem: 1, shardingParameter: 'Shanghai' }));
 * ```
 *
 * By default it is the first attempt of a scheduled run of item 0, with as many items as that needs, due at
 * 2030-01-01T00:00:00Z. Its token is 1n, its signal does not abort, and its checkpoint is kept in memory. `assertHeld`
 * throws once the signal has aborted. `token: undefined` is the context of a job without `monitorExecution`.
 * @throws {ConfigurationError} for wrong and unknown fields
 */
export function createShardingContext(given: ShardingContextOptions = {}): ShardingContext {
  const fields = TABLE.checked('createShardingContext', given);
  const { jobName = 'test-job', shardingItem = 0, signal = new AbortController().signal } = fields;
  const { shardingTotalCount = shardingItem + 1 } = fields;
  assertWithin(shardingItem, shardingTotalCount);
  const token = 'token' in given ? fields.token : 1n;
  const fireTime = fields.fireTime?.getTime() ?? Date.UTC(2030, 0, 1);
  const assertHeld = (): void => {
    if (signal.aborted) throw new LeaseLostError(jobName, shardingItem, { cause: signal.reason });
  };
  return Object.freeze({
    jobName,
    taskId: fields.taskId ?? formatTaskId(jobName, [shardingItem], INSTANCE_ID),
    jobParameter: fields.jobParameter ?? '',
    shardingTotalCount,
    shardingItem,
    shardingParameter: fields.shardingParameter,
    get fireTime() {
      return new Date(fireTime);
    },
    source: fields.source ?? 'NORMAL_TRIGGER',
    trigger: Object.freeze(fields.trigger ?? 'schedule'),
    attempt: fields.attempt ?? 1,
    signal,
    token,
    tokenEpoch: fields.tokenEpoch ?? 0,
    checkpoint: fields.checkpoint ?? new MemoryCheckpoint(jobName, shardingItem, token),
    props: Object.freeze({ ...fields.props }),
    assertHeld: fields.assertHeld ?? assertHeld,
    isMoving: fields.isMoving ?? (() => false),
  });
}

/** Keeps the text that the registry would have. */
class MemoryCheckpoint implements Checkpoint {
  private saved: string | undefined;

  constructor(
    private readonly jobName: string,
    private readonly item: number,
    private readonly token: bigint | undefined,
  ) {}

  async save(value: unknown): Promise<void> {
    this.assertToken();
    this.saved = formatCheckpoint(this.jobName, this.item, value);
  }

  async load<Value = unknown>(): Promise<Value | undefined> {
    this.assertToken();
    return this.saved === undefined ? undefined : JSON.parse(this.saved);
  }

  async clear(): Promise<void> {
    this.assertToken();
    this.saved = undefined;
  }

  private assertToken(): void {
    if (this.token === undefined) throw new MissingTokenError(this.jobName, this.item);
  }
}

function assertWithin(shardingItem: number, shardingTotalCount: number): void {
  if (shardingItem < shardingTotalCount) return;
  const fault = `shardingItem must be below shardingTotalCount, ${shardingTotalCount}, but is ${shardingItem}`;
  throw new ConfigurationError('createShardingContext', [fault]);
}

function isTrigger(value: unknown): boolean {
  return value === 'schedule' || typeof Object(value).id === 'string';
}

function areTexts(value: unknown): boolean {
  return isOptionsObject(value) && Object.values(value).every((one) => typeof one === 'string');
}
