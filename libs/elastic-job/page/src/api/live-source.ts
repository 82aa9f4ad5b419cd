/**
 * The stream of server-sent events, as the one tab that holds it reads it. It follows the topics that are wanted, and
 * opens anew by itself: the first frame of each topic says that all may have changed, so nothing is missed.
 *
 * It is live from its first frame on: a proxy may pass on no more than its headers. Silence that is longer than its
 * heartbeat is a connection that is gone, which nobody tells the browser: it is lost then, and opened anew.
 *
 * The browser tells no status of a stream that was refused. So a session that is over is found by another request, and
 * topics that are gone, or that the person may not see any more, are left out until they are there again. A stream that
 * cannot be had at all (429, or a proxy that keeps it back), or that has no room for all topics, is `polling`. What was
 * refused is tried again.
 */
import type { SessionAnswer } from '../../../src/console/contract/answers.js';
import { get } from './client.js';
import { apiPath, urlOf } from './place.js';
import { ApiProblem } from './problem.js';

export type LinkState = 'connecting' | 'live' | 'polling' | 'lost';

const MOST_TOPICS = 32;
const SETTLE_MS = 50;
const RETRY_MS = 10_000;
const OPENING_MS = 10_000;
/** A stream tells something every 15 s. */
const SILENCE_MS = 45_000;
const HEARTBEAT = 'alive';
const JOB = 'job:';
const AUDIT = 'audit';

interface Told {
  readonly onFrame: (topic: string, frame: unknown) => void;
  readonly onState: (state: LinkState) => void;
}

export class LiveSource {
  private topics: readonly string[] = [];
  private readonly gone = new Set<string>();
  private source: EventSource | undefined;
  private state: LinkState | undefined;
  /** Opens it, with the topics of that time. */
  private opening: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for what the stream tells next. */
  private silence: ReturnType<typeof setTimeout> | undefined;
  private looking: ReturnType<typeof setInterval> | undefined;

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
    clearTimeout(this.opening);
    this.opening = setTimeout(() => this.open(), ms);
  }

  private onSilence(ms: number, then: () => void): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(then, ms);
  }

  private shut(): void {
    clearTimeout(this.opening);
    clearTimeout(this.silence);
    clearInterval(this.looking);
    this.source?.close();
    this.source = undefined;
  }

  private tell(state: LinkState): void {
    if (state === this.state) return;
    this.state = state;
    this.told.onState(state);
  }

  private open(): void {
    this.shut();
    const wanted = this.topics.filter((topic) => !this.gone.has(topic));
    const topics = mostOf(wanted);
    if (topics.length === 0) return;
    const source = new EventSource(urlOf('/live', { topics: topics.map(encodedTopic).join(',') }));
    this.source = source;
    this.onSilence(OPENING_MS, () => this.tell('polling'));
    const onNews = () => {
      this.tell(topics.length === wanted.length ? 'live' : 'polling');
      this.onSilence(SILENCE_MS, () => {
        this.tell('lost');
        this.open();
      });
    };
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) void this.refused();
      else this.tell('lost');
    });
    source.addEventListener(HEARTBEAT, onNews);
    for (const topic of topics) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => {
        onNews();
        this.told.onFrame(topic, JSON.parse(data));
      });
    }
    if (this.gone.size > 0) this.looking = setInterval(() => void this.lookAt([...this.gone]), RETRY_MS);
  }

  /** Finds out why: `get` tells of a session that is over. */
  private async refused(): Promise<void> {
    this.shut();
    this.tell('polling');
    this.openIn(RETRY_MS);
    await get<SessionAnswer>('/overview').catch(() => undefined);
    await this.lookAt(this.topics.filter((topic) => topic.startsWith(JOB) || topic === AUDIT));
  }

  /** Opens anew at once if a topic is gone, or there again. */
  private async lookAt(topics: readonly string[]): Promise<void> {
    const looks = await Promise.all(topics.map(async (topic) => [topic, await isGone(topic)] as const));
    const changed = looks.filter(([topic, isGoneNow]) => isGoneNow !== undefined && isGoneNow !== this.gone.has(topic));
    for (const [topic] of changed) if (!this.gone.delete(topic)) this.gone.add(topic);
    if (changed.length > 0) this.openIn(0);
  }
}

/** Undefined if nobody knows. */
async function isGone(topic: string): Promise<boolean | undefined> {
  try {
    await (topic === AUDIT ? get('/audit', { query: { limit: 1 } }) : get(apiPath('jobs', topic.slice(JOB.length))));
    return false;
  } catch (error) {
    return error instanceof ApiProblem && [403, 404].includes(error.status) ? true : undefined;
  }
}

/** As many as a stream has room for; those of all jobs first. */
function mostOf(topics: readonly string[]): readonly string[] {
  const isOfJob = (topic: string) => topic.startsWith(JOB);
  return [...topics.filter((topic) => !isOfJob(topic)), ...topics.filter(isOfJob)].slice(0, MOST_TOPICS);
}

function encodedTopic(topic: string): string {
  return topic.replaceAll('%', '%25').replaceAll(',', '%2C');
}
