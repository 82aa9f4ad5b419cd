/**
 * The stream of server-sent events, as the one tab that holds it reads it. It follows the topics that are wanted, and
 * opens anew by itself: the first frame of each topic says that all may have changed, so nothing is missed.
 *
 * The browser tells no status of a stream that was refused. So a session that is over is found by another request, and
 * jobs that are gone are left out. A stream that cannot be had at all (429, or a proxy that keeps it back) is
 * `polling`, and is tried again.
 */
import type { SessionAnswer } from '../../../src/console/contract/answers.js';
import { get } from './client.js';
import { apiPath, urlOf } from './place.js';
import { ApiProblem } from './problem.js';

export type LinkState = 'connecting' | 'live' | 'polling' | 'lost';

const MOST_TOPICS = 32;
const SETTLE_MS = 50;
const RETRY_MS = 10_000;
/** A stream says that it lives every 15 s, which the browser does not tell; silence at its opening does. */
const OPENING_MS = 10_000;
const JOB = 'job:';

interface Told {
  readonly onFrame: (topic: string, frame: unknown) => void;
  readonly onState: (state: LinkState) => void;
}

export class LiveSource {
  private topics: readonly string[] = [];
  private readonly gone = new Set<string>();
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly told: Told) {}

  /** Follows these topics from now on; none closes the stream. */
  follow(topics: readonly string[]): void {
    if (topics.join() === this.topics.join()) return;
    this.topics = topics;
    this.gone.clear();
    this.openIn(SETTLE_MS);
  }

  close(): void {
    this.topics = [];
    this.shut();
  }

  private openIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), ms);
  }

  private shut(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }

  private open(): void {
    this.shut();
    const topics = this.topics.filter((topic) => !this.gone.has(topic)).slice(0, MOST_TOPICS);
    if (topics.length === 0) return;
    const source = new EventSource(urlOf('/live', { topics: topics.map(encodedTopic).join(',') }));
    this.source = source;
    this.timer = setTimeout(() => this.told.onState('polling'), OPENING_MS);
    source.addEventListener('open', () => {
      clearTimeout(this.timer);
      this.told.onState('live');
    });
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) void this.refused();
      else this.told.onState('lost');
    });
    for (const topic of topics) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => this.told.onFrame(topic, JSON.parse(data)));
    }
  }

  /** Finds out why: `get` tells of a session that is over. */
  private async refused(): Promise<void> {
    this.shut();
    this.told.onState('polling');
    this.openIn(RETRY_MS);
    await get<SessionAnswer>('/overview').catch(() => undefined);
    const jobs = this.topics.filter((topic) => topic.startsWith(JOB));
    await Promise.all(jobs.map((topic) => this.look(topic)));
    if (jobs.some((topic) => this.gone.has(topic))) this.openIn(0);
  }

  private async look(topic: string): Promise<void> {
    try {
      await get(apiPath('jobs', topic.slice(JOB.length)));
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 404) this.gone.add(topic);
    }
  }
}

function encodedTopic(topic: string): string {
  return topic.replaceAll('%', '%25').replaceAll(',', '%2C');
}
