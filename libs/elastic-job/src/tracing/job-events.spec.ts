import { describe, expect, it } from 'vitest';
import { messageOf, type Trigger } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { EventSinks, type JobEvent, JobEvents, type JobEventSink } from './index.js';

const JOINED: JobEvent = { kind: 'joined', jobName: 'settle-orders', instanceId: 'i' };
const BROKEN = new Error('broken');
const TRIGGER: Trigger = { jobName: 'settle-orders', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' };

describe('JobEvents', () => {
  it.each([
    ['throws', () => fail(BROKEN)],
    ['rejects', () => Promise.reject(BROKEN)],
  ])('notifies the other listeners of the event and of the error if one listener %s', async (...row) => {
    const events = new JobEvents();
    const heard: JobEvent[] = [];
    events.on(row[1], 'the metrics');
    events.on((event) => void heard.push(event));

    events.emit(JOINED);
    await new Promise((resolve) => setImmediate(resolve));

    expect(heard).toContainEqual(JOINED);
    expect(heard).toContainEqual({
      kind: 'error',
      jobName: undefined,
      message: 'the metrics failed at a "joined" event',
      error: BROKEN,
    });
  });

  it.each([
    ['settled', 'the listener must be a function, but is "settled"; compare the kind of the events that it hears'],
    [undefined, 'the listener must be a function, but is undefined'],
    [{ hear() {} }, 'the listener must be a function, but is an object'],
  ])('refuses a listener that is no function, and then tells nobody: %j', (listener, problem) => {
    const events = new JobEvents();

    // @ts-expect-error -- what JavaScript may do
    expect(() => events.on(listener, () => {})).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', problems: [expect.stringContaining(problem)] }),
    );
    expect(() => events.emit(JOINED)).not.toThrow();
  });

  it('refuses a name of a listener that is no text', () => {
    // @ts-expect-error -- what JavaScript may do
    expect(() => new JobEvents().on(() => {}, 5)).toThrow('the name of the listener must be a text, but is 5');
  });

  it('tells of a promise that a listener throws, and of its reason once it rejects, and comes to an end', async () => {
    const events = new JobEvents();
    const heard: JobEvent[] = [];
    let reject = (_reason: unknown): void => {};
    events.on(() => fail(new Promise((_, no) => (reject = no))), 'the metrics');
    events.on(() => fail(Promise.reject(BROKEN)), 'the sums');
    events.on((event) => void heard.push(event));

    events.emit(JOINED);
    reject(new Error('late'));
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));

    const texts = heard.flatMap((event) =>
      event.kind === 'error' ? `${event.message}: ${messageOf(event.error)}` : [],
    );
    expect(texts.slice(0, 2)).toEqual([
      'the metrics failed at a "joined" event: a promise was thrown, which is no error',
      'the sums failed at a "joined" event: a promise was thrown, which is no error',
    ]);
    expect(texts).toContain('the promise that was thrown has rejected: broken');
    expect(texts.length).toBeLessThan(5);
  });

  it('tells the late reason of a promise with the job of the event that has told of it', async () => {
    const events = new JobEvents();
    const heard: JobEvent[] = [];
    events.on((event) => void heard.push(event));

    events.emit({ kind: 'retrying', trigger: TRIGGER, item: 0, attempt: 1, delayMs: 5, error: Promise.reject(BROKEN) });
    await new Promise((resolve) => setImmediate(resolve));

    expect(heard.slice(1)).toMatchObject([{ kind: 'error', jobName: 'settle-orders', error: BROKEN }]);
  });

  it('no longer notifies a listener that was removed, but still its twin', () => {
    const events = new JobEvents();
    const heard: JobEvent[] = [];
    const listener = (event: JobEvent) => void heard.push(event);
    const off = events.on(listener);
    events.on(listener);

    off();
    events.emit(JOINED);

    expect(heard).toEqual([JOINED]);
  });
});

describe('events that listeners emit while they hear one', () => {
  it('are told after it, in their order, to all', () => {
    const events = new JobEvents();
    const heard: string[] = [];
    events.on(({ kind }) => {
      if (kind === 'joined') for (const message of ['first', 'second']) events.emit(warning(message));
    });
    events.on((event) => void heard.push(event.kind === 'warning' ? event.message : event.kind));

    events.emit(JOINED);

    expect(heard).toEqual(['joined', 'first', 'second']);
  });

  it.each([1, 2, 5])('come to an end, and a warning says so once, if %i sinks tell what they drop', (count) => {
    let hears = 0;
    const heard: JobEvent[] = [];
    const full = Array.from({ length: count }, (_, n) => fullSink(`full ${n}`, () => (hears += 1)));
    const { events, sinks } = setUp(...full, { name: 'log', hear: (event) => void heard.push(event) });
    sinks.start();

    events.emit(JOINED);
    events.emit(JOINED);

    expect(hears).toBeLessThan(400);
    expect(heard.filter(({ kind }) => kind === 'joined')).toHaveLength(2);
    expect(heard.filter(({ kind }) => kind === 'error')).toEqual([]);
    const message =
      'the sink "full 0" emits an event at each one that it hears; those at answers of answers are dropped';
    expect(heard.filter(({ kind }) => kind === 'warning')).toEqual([warning(message)]);
  });
});

describe('an event', () => {
  it('cannot be changed by a listener, but for what users have thrown', () => {
    const thrown = { code: 1 };
    const trigger: Trigger = { ...TRIGGER };
    const ofRun = { trigger, taskId: 't', items: [0, 1] };
    const heard: JobEvent[] = [];
    const events = new JobEvents();
    events.on((event) => void heard.push(event));

    events.emit({ kind: 'begun', ...ofRun });
    events.emit({ kind: 'settled', ...ofRun, item: 0, outcome: { kind: 'failed', error: thrown }, durationMs: 1 });
    events.emit({ kind: 'mark-released', jobName: 'j', item: 0, marks: ['running'], run: undefined });
    events.emit({ kind: 'error', jobName: 'j', message: 'broken', error: thrown });

    expect(heard).toHaveLength(4);
    expect(heard.flatMap(partsOf).filter((part) => !Object.isFrozen(part))).toEqual([thrown, thrown]);
  });

  it('that a sink emits stays its own, so that it may change and emit it again', () => {
    const dropped = { kind: 'history-dropped' as const, sink: 'own', count: 1 };
    const { sinks } = setUp({ name: 'own', start: (host) => host.emit(dropped), hear() {} });

    sinks.start();

    expect(Object.isFrozen(dropped)).toBe(false);
  });
});

describe('EventSinks', () => {
  it('waits at most five seconds for a sink that never stops', async () => {
    const { clock, sinks } = setUp({ name: 'deaf', hear() {}, stop: () => new Promise(() => {}) });
    let isStopped = false;

    sinks.start();
    void sinks.stop().finally(() => (isStopped = true));
    await clock.advance(4_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);

    expect(isStopped).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('emits an error to the other sinks if one cannot stop', async () => {
    const heard: JobEvent[] = [];
    const { sinks } = setUp(
      { name: 'log', hear: (event) => void heard.push(event) },
      { name: 'broken', hear() {}, stop: () => Promise.reject(BROKEN) },
    );

    sinks.start();
    await sinks.stop();

    expect(heard).toEqual([
      { kind: 'error', jobName: undefined, message: 'stopping the sink "broken" failed', error: BROKEN },
    ]);
  });

  it('stops the sinks that have started, and not the one that could not start', async () => {
    const stopped: string[] = [];
    const sink = (name: string, start: () => void): JobEventSink => ({
      name,
      start,
      hear() {},
      stop: async () => void stopped.push(name),
    });
    const { sinks } = setUp(
      sink('first', () => {}),
      sink('wrong', () => fail(BROKEN)),
      sink('last', () => {}),
    );

    expect(() => sinks.start()).toThrow(BROKEN);
    await sinks.stop();

    expect(stopped).toEqual(['first']);
  });

  it('emits nothing to sinks that are stopped', async () => {
    const heard: JobEvent[] = [];
    const { events, sinks } = setUp({ name: 'log', hear: (event) => void heard.push(event) });

    sinks.start();
    events.emit(JOINED);
    await sinks.stop();
    events.emit(JOINED);

    expect(heard).toEqual([JOINED]);
  });
});

/** The value and all objects in it. */
function partsOf(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

/** A sink whose store is full: it tells of each event that it drops. */
function fullSink(name: string, onHear: () => void): JobEventSink {
  let emit: ((event: JobEvent) => void) | undefined;
  return {
    name,
    start: (host) => void ({ emit } = host),
    hear() {
      onHear();
      emit?.({ kind: 'history-dropped', sink: name, count: 1 });
    },
  };
}

function warning(message: string): JobEvent {
  return { kind: 'warning', jobName: undefined, message };
}

function setUp(...given: JobEventSink[]) {
  const clock = new VirtualClock();
  const events = new JobEvents();
  return { clock, events, sinks: new EventSinks(given, events, clock) };
}

function fail(error: unknown): never {
  throw error;
}
