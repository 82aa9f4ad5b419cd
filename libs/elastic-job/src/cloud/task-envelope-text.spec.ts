import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTaskAnswers, formatTaskEnvelope, mostCheckpointBytes, parseTaskEnvelope } from './task-envelope-text.js';
import { MOST_ENVELOPE_BYTES, NewerTaskEnvelopeError, type TaskEnvelope, TaskEnvelopeError } from './task-envelope.js';

const REQUIRED: TaskEnvelope = {
  v: 1,
  jobName: 'settle-orders',
  taskId: 'settle-orders@-@1@-@READY@-@10.0.0.1@-@1-s1',
  shardingTotalCount: 3,
  jobParameter: 'all',
  shardingItem: 1,
  fireTime: 1_700_000_000_000,
  source: 'NORMAL_TRIGGER',
  trigger: { id: 'by-hand', parameters: 'only=today' },
  attempt: 1,
  launch: 2,
  token: '9223372036854775807',
  tokenEpoch: 0,
  run: 'run-1',
  props: { 'streaming.process': 'true' },
  graceMs: 5_000,
};
const ENVELOPE = {
  ...REQUIRED,
  shardingParameter: 'Shanghai',
  template: 'orders',
  retries: { maxAttempts: 3, retryDelayMs: 10, retryFactor: 1.5, retryMaxDelayMs: 100, retryJitter: 0.5 },
  checkpoint: { row: 7 },
  timeoutMs: 60_000,
  channel: 3,
  report: '/dev/termination-log',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
} satisfies TaskEnvelope;
const faultOf = (text: string): unknown => {
  try {
    parseTaskEnvelope(text);
    return undefined;
  } catch (error) {
    return error;
  }
};
const faultWith = (change: Record<string, unknown>) => faultOf(JSON.stringify({ ...ENVELOPE, ...change }));

describe('the envelope of a task', () => {
  it('is the same after it was written and read', () => {
    expect(parseTaskEnvelope(formatTaskEnvelope(ENVELOPE))).toEqual(ENVELOPE);
  });

  it('needs the required fields alone, and gets no values for the others', () => {
    expect(parseTaskEnvelope(formatTaskEnvelope(REQUIRED))).toEqual(REQUIRED);
  });

  it('ignores a field that a later release has added', () => {
    expect(faultWith({ weather: 'fine' })).toBeUndefined();
  });

  it.each([
    ['jobName', 'a/b', 'must not contain "/"'],
    ['shardingItem', 3, 'must be less than shardingTotalCount (3), but is 3'],
    ['shardingParameter', 'a,b', 'must be a text without "," and "="'],
    ['fireTime', 'soon', 'must be a whole number of at least 0'],
    ['source', 'READY', 'must be NORMAL_TRIGGER, MISFIRE or FAILOVER, but is "READY"'],
    ['trigger', { id: '' }, 'must be "schedule" or'],
    ['token', 7, 'must be at most 19 decimal digits, as a text, but is 7'],
    ['token', '007', 'must be at most 19 decimal digits'],
    ['retries', { maxAttempts: 0 }, 'must have a usable maxAttempts, which must be'],
    ['timeoutMs', 0, 'must be a whole number of at least 1, but is 0'],
    ['channel', 1, 'must be a whole number of at least 3'],
    ['graceMs', undefined, 'is missing'],
    ['v', 0, 'must be 1, but is 0'],
  ])('is refused for the field %s with the value %j, by an error that names the field', (field, value, problem) => {
    const fault = faultWith({ [field]: value });

    expect(fault).toBeInstanceOf(TaskEnvelopeError);
    expect(fault).toMatchObject({ field, message: expect.stringContaining(problem) });
  });

  it('keeps the value of a prop that is no text out of the error', () => {
    expect(faultWith({ props: { key: { secret: 'hunter2' } } })).toMatchObject({
      message: 'ELASTIC_JOB_TASK: props must be an object of texts, but "key" is object.',
    });
  });

  it.each(['', 'no JSON', '[]', 'null', '7'])(
    'is refused as a whole, without the name of a field, if the text is %j',
    (text) => {
      expect(faultOf(text)).toMatchObject({ code: 'TASK_ENVELOPE', field: undefined });
    },
  );

  it('names the remedy when a later version of the envelope is read', () => {
    const fault = faultOf('{"v":2,"tasks":[]}');

    expect(fault).toBeInstanceOf(NewerTaskEnvelopeError);
    expect(fault).toMatchObject({ version: 2, known: 1, message: expect.stringContaining('build its image') });
  });

  it('still yields a usable channel and report path if it is faulty', () => {
    expect(findTaskAnswers('{"v":2,"channel":3,"report":"/tmp/report"}')).toEqual({
      channel: 3,
      report: '/tmp/report',
    });
    expect(findTaskAnswers('{"channel":"3","report":7}')).toEqual({ channel: undefined, report: undefined });
    expect(findTaskAnswers('no JSON')).toEqual({});
  });

  it.each([
    [
      { jobParameter: 'ä'.repeat(MOST_ENVELOPE_BYTES / 2) },
      /has 33\d{3} bytes, and may have 32768; most of it is jobParameter \(32770\): hand over where the data is/,
    ],
    [
      { checkpoint: 'ä'.repeat(MOST_ENVELOPE_BYTES / 2) },
      /most of it is checkpoint \(32770\): delete the node "sharding\/1\/checkpoint" below the job, .* begins anew\.$/,
    ],
    [
      { checkpoint: 'x'.repeat(22_000), jobParameter: 'x'.repeat(14_000), trigger: { id: 'x'.repeat(2_000) } },
      /checkpoint \(22002\), jobParameter \(14002\) and trigger \(2009\): shorten jobParameter and trigger, .* delete/,
    ],
  ])('is refused if it is too large, by an error that names its large parts and the remedy (%#)', (parts, problem) => {
    expect(() => formatTaskEnvelope({ ...ENVELOPE, ...parts })).toThrow(problem);
    expect(faultWith(parts)).toMatchObject({ code: 'TASK_ENVELOPE' });
  });
});

describe('the room for a checkpoint in an envelope', () => {
  it('holds in later envelopes, whose instants, ids and parameters may be longer', () => {
    const later = { ...ENVELOPE, taskId: 'x'.repeat(200), attempt: 2_147_483_647, launch: 1_000, channel: 3 };
    const trigger = { id: 'x'.repeat(36), parameters: 'x'.repeat(4_000) };
    const checkpoint = 'x'.repeat(mostCheckpointBytes(ENVELOPE) - 2);

    expect(checkpoint.length).toBeGreaterThan(20_000);
    expect(() => formatTaskEnvelope({ ...later, trigger, checkpoint })).not.toThrow();
  });

  it('is none if the rest of the envelope leaves none', () => {
    expect(mostCheckpointBytes({ ...ENVELOPE, jobParameter: 'x'.repeat(MOST_ENVELOPE_BYTES) })).toBe(0);
  });
});

describe('the JSON Schema of the envelope', () => {
  const schema: object = JSON.parse(readFileSync('docs/cloud/task-envelope.schema.json', 'utf8'));
  const isValid = new Ajv2020({ strict: true }).compile(schema);
  const odd = fc.oneof(
    fc.constantFrom(undefined, null, 0, 1, 2, -1, 0.5, 3, 2 ** 31, 1e300, '', '7', '07', 'a', true, 'schedule'),
    fc.constantFrom('..', 'zookeeper', 'a@-@b', 'a b', 'a.b', 'ä', '\u{1f600}', 'a$', 'x\n', ' x', 'a=b', 'a,b'),
    fc.constantFrom({}, [], { id: 'x' }, { id: 7 }, { a: 'b' }, { a: 1 }, { id: 'x', parameters: 1 }),
    fc.constantFrom({ ...ENVELOPE.retries, maxAttempts: 0 }, { ...ENVELOPE.retries, retryJitter: 2 }),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );

  it('agrees with the parser on which changed envelopes are valid', () => {
    const fields = fc.constantFrom(...Object.keys(ENVELOPE).filter((field) => field !== 'v'));
    let sound = 0;
    fc.assert(
      fc.property(fields, odd, (field, value) => {
        const text = JSON.stringify({ ...ENVELOPE, [field]: value });
        const given: TaskEnvelope = JSON.parse(text);
        // A JSON schema cannot compare two fields.
        fc.pre(given.shardingItem < given.shardingTotalCount || typeof value !== 'number');
        const isSound = faultOf(text) === undefined;
        sound += Number(isSound);
        expect({ text, isSound }).toEqual({ text, isSound: isValid(given) });
      }),
      { numRuns: 3_000 },
    );
    expect(sound).toBeGreaterThan(100);
  });
});
