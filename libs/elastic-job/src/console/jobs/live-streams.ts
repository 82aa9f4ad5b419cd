import { type Clock, type Timer, whileWaiting } from '../../clock/index.js';
import { LastFailures } from '../../repeat/index.js';
import {
  ConsoleProblem,
  type ConsoleCaller,
  type FrameSink,
  seesJob,
  TOPICS_OF_ALL,
  unknownJobProblem,
} from '../contract/index.js';
import {
  ALL,
  type Changed,
  isNothing,
  jobOf,
  keyOf,
  type LiveFacts,
  NOTHING,
  sourceOf,
  together,
  type TopicSource,
} from './live-topics.js';

/** Least milliseconds between two frames of a topic, and between two looks at all streams. */
const TICK_MS = 250;
/** Milliseconds for which a frame waits for more changes, as most come several at once. */
const SETTLE_MS = 30;
/** Milliseconds of silence after which a stream says that it lives. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a client that takes nothing is dropped. */
const PATIENCE_MS = 30_000;
/** An event, and no comment: a browser tells its page of none, which could not see then that a connection is dead. */
const HEARTBEAT = 'event: alive\ndata: {}\n\n';
/** Seconds after which a further stream may be tried. */
const RETRY_AFTER = '10';

export interface LiveStreamsParts extends LiveFacts {
  readonly clock: Clock;
  /** Most streams. @default 200 */
  readonly streams?: number;
  /** Most streams of one person. @default 10 */
  readonly perPerson?: number;
  /** Receives what has kept a frame back, unless it was the same for the frame before. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** One client that is told of topics. */
interface Stream {
  readonly caller: ConsoleCaller;
  readonly sink: FrameSink;
  /** Changes that it has not been told yet, by topic: one frame waits for each. */
  readonly waiting: Map<Topic, Changed>;
  /** Since when it takes nothing, on the monotonic clock. */
  blockedAt: number | undefined;
  toldAt: number;
  readonly end: () => void;
  /** Removes the listener of its signal. */
  forget: () => void;
}

/** A topic with those who listen to it. */
interface Topic {
  readonly name: string;
  readonly key: string;
  readonly source: TopicSource;
  readonly streams: Set<Stream>;
  changed: Changed;
  /** Moment on the monotonic clock of the last frame. */
  toldAt: number;
  /** Tells the topic once more changes may have come. */
  soon: Timer | undefined;
  isReading: boolean;
  readonly failures: LastFailures;
  /** Number of its last frame. One for all topics would tell how much others are told. */
  lastId: number;
  readonly stop: () => void;
}

/**
 * Streams of server-sent events. Each frame has an event of its topic's name, a number as its id, and what has changed
 * with its new state as JSON. A change is told at once. Changes are merged: a topic is read once for all streams and
 * told at most four times a second, and of what a slow client has not taken one frame waits. The first frame says that
 * all may have changed.
 *
 * Nothing listens, waits or is open after the last stream.
 */
export class LiveStreams {
  private readonly streams = new Set<Stream>();
  private readonly topics = new Map<string, Topic>();
  private timer: Timer | undefined;

  constructor(private readonly parts: LiveStreamsParts) {}

  /**
   * @param signal ends the stream, as when the caller's session is over or the caller's role has changed
   * @throws {ConsoleProblem} 429 with Retry-After beyond the limits, 404 for a job that is none for the caller, 400 for
   * a topic that is none
   */
  open(caller: ConsoleCaller, topics: readonly string[], sink: FrameSink, signal?: AbortSignal): void {
    this.assertRoom(caller);
    this.assertTopics(caller, topics);
    const end = () => this.leave(stream);
    const stream: Stream = {
      caller,
      sink,
      waiting: new Map(),
      blockedAt: undefined,
      toldAt: this.parts.clock.monotonicNow(),
      end,
      forget: () => {},
    };
    for (const name of new Set(topics)) this.join(name, stream);
    this.streams.add(stream);
    sink.onDrain(() => (stream.blockedAt = undefined));
    sink.onClose(end);
    if (signal?.aborted === true) return end();
    if (signal !== undefined) stream.forget = whileWaiting(signal, end);
    this.timer ??= this.parts.clock.setTimer(0, () => this.tick());
  }

  /** Ends all streams. */
  stop(): void {
    for (const stream of this.streams) stream.end();
  }

  private assertRoom({ name }: ConsoleCaller): void {
    const { perPerson = 10, streams = 200 } = this.parts;
    const own = [...this.streams].filter(({ caller }) => caller.name === name).length;
    if (this.streams.size < streams && own < perPerson) return;
    const most = own < perPerson ? `${streams} streams` : `${perPerson} streams of one person`;
    const headers = { 'retry-after': RETRY_AFTER };
    throw new ConsoleProblem(429, 'TOO_MANY_REQUESTS', `There are ${most} already.`, {}, headers);
  }

  private assertTopics(caller: ConsoleCaller, topics: readonly string[]): void {
    const { index } = this.parts;
    for (const topic of topics) {
      const job = jobOf(topic);
      if (job !== undefined && !(seesJob(caller, job) && index.has(job))) throw unknownJobProblem(job);
    }
    const known = topics.filter((topic) => TOPICS_OF_ALL.includes(topic) || jobOf(topic) !== undefined);
    if (known.length === topics.length && topics.length > 0) return;
    throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'There is no such topic.', {
      fields: [{ field: 'topics', problem: 'must be overview, jobs, audit, or job: and the name of a job' }],
    });
  }

  private join(name: string, stream: Stream): void {
    const key = keyOf(name, stream.caller);
    const topic = this.topics.get(key) ?? this.listen(name, key, stream.caller);
    topic.streams.add(stream);
    stream.waiting.set(topic, ALL);
    this.tellSoon(topic, 0);
  }

  private listen(name: string, key: string, caller: ConsoleCaller): Topic {
    const source = sourceOf(name, caller, this.parts);
    const unlisten = source.listen((changed) => {
      topic.changed = together(topic.changed, changed);
      this.tellSoon(topic);
    });
    const stop = () => {
      unlisten();
      topic.soon?.cancel();
    };
    const fresh = { changed: NOTHING, toldAt: -Infinity, soon: undefined, isReading: false, lastId: 0 };
    const topic: Topic = { name, key, source, streams: new Set(), ...fresh, failures: new LastFailures(), stop };
    this.topics.set(key, topic);
    return topic;
  }

  private leave(stream: Stream): void {
    if (!this.streams.delete(stream)) return;
    for (const topic of this.topics.values()) {
      topic.streams.delete(stream);
      if (topic.streams.size > 0) continue;
      topic.stop();
      this.topics.delete(topic.key);
    }
    stream.waiting.clear();
    stream.forget();
    stream.sink.end();
    if (this.streams.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private tick(): void {
    const now = this.parts.clock.monotonicNow();
    for (const stream of this.streams) this.look(stream, now);
    // Changes that could not be read or taken are told once they can.
    for (const topic of this.topics.values()) {
      if (topic.soon === undefined && now - topic.toldAt >= TICK_MS) void this.tell(topic);
    }
    this.timer = this.streams.size === 0 ? undefined : this.parts.clock.setTimer(TICK_MS, () => this.tick());
  }

  private look(stream: Stream, now: number): void {
    this.parts.index.keepScreen(stream.caller);
    if (stream.blockedAt !== undefined && now - stream.blockedAt >= PATIENCE_MS) return stream.end();
    if (stream.blockedAt === undefined && now - stream.toldAt >= HEARTBEAT_MS) this.write(stream, HEARTBEAT);
  }

  private tellSoon(topic: Topic, settleMs = SETTLE_MS): void {
    const { clock } = this.parts;
    const pauseMs = Math.max(settleMs, topic.toldAt + TICK_MS - clock.monotonicNow());
    topic.soon ??= clock.setTimer(pauseMs, () => {
      topic.soon = undefined;
      void this.tell(topic);
    });
  }

  /** Reads the topic once, and tells all who take something now. What cannot be read is told once it can. */
  private async tell(topic: Topic): Promise<void> {
    if (topic.isReading) return;
    const { changed } = topic;
    topic.changed = NOTHING;
    for (const { waiting } of topic.streams) {
      const all = together(waiting.get(topic) ?? NOTHING, changed);
      if (!isNothing(all)) waiting.set(topic, all);
    }
    const awaiting = () => [...topic.streams].filter((one) => one.blockedAt === undefined && one.waiting.has(topic));
    if (awaiting().length === 0) return;
    topic.isReading = true;
    topic.toldAt = this.parts.clock.monotonicNow();
    try {
      const payloadOf = await topic.source.read();
      topic.failures.note([]);
      const frames = new Map<Changed, string>();
      for (const stream of awaiting()) {
        const all = stream.waiting.get(topic);
        // It has ended meanwhile.
        if (all === undefined) continue;
        stream.waiting.delete(topic);
        const frame = frames.get(all) ?? this.frameOf(topic, payloadOf(all));
        frames.set(all, frame);
        this.write(stream, frame);
      }
    } catch (error) {
      // The changes wait. They are read again soon, and may fail many times a minute.
      for (const failure of topic.failures.note([error])) this.parts.onError?.(failure);
    } finally {
      topic.isReading = false;
      if (!isNothing(topic.changed) && this.topics.get(topic.key) === topic) this.tellSoon(topic);
    }
  }

  private frameOf(topic: Topic, payload: object): string {
    topic.lastId += 1;
    return `event: ${topic.name}\nid: ${topic.lastId}\ndata: ${JSON.stringify(payload)}\n\n`;
  }

  private write(stream: Stream, frame: string): void {
    const now = this.parts.clock.monotonicNow();
    stream.toldAt = now;
    if (!stream.sink.write(frame)) stream.blockedAt = now;
  }
}
