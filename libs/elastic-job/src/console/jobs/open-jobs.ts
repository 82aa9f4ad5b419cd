import type { Timer } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { JobView } from './job-view.js';
import { JobReader, type JobReaderParts } from './job-reader.js';
import { OpenJob } from './open-job.js';

/** Most views at a time, each of which is a watch at the server. */
const MOST_VIEWS = 64;
/** Milliseconds for which a view stays after its last viewer has gone. */
const LINGER_MS = 30_000;

interface Shared {
  readonly reader: JobReader;
  readonly view: JobView;
  viewers: number;
  closing: Timer | undefined;
}

/**
 * The open jobs. All who look at a job share one view of it, which is closed 30 s after the last of them has gone, or
 * before that if all places are taken and another job needs one. Of a name that is no job, as people may ask for any,
 * nothing stays.
 */
export class OpenJobs {
  /** Of those that nobody looks at, the one that was left longest ago comes first. */
  private readonly shared = new Map<JobName, Shared>();
  private readonly viewed = new Set<JobName>();

  constructor(private readonly parts: Omit<JobReaderParts, 'view'>) {}

  open(job: JobName): OpenJob {
    const shared = this.shared.get(job) ?? this.share(job);
    shared.closing?.cancel();
    shared.viewers += 1;
    return new OpenJob(shared.reader, () => this.leave(job, shared));
  }

  /** Jobs that somebody looks at, and for which there was no place. */
  withoutView(): readonly JobName[] {
    return this.looked().filter((job) => !this.viewed.has(job));
  }

  /** Jobs that somebody looks at. */
  looked(): readonly JobName[] {
    return [...this.shared].flatMap(([job, { viewers }]) => (viewers > 0 ? [job] : []));
  }

  stop(): void {
    for (const [job, shared] of this.shared) this.end(job, shared);
  }

  private share(job: JobName): Shared {
    const view = new JobView(job, { ...this.parts, takePlace: (name) => this.takePlace(name) });
    const shared = { view, reader: new JobReader({ ...this.parts, view }), viewers: 0, closing: undefined };
    this.shared.set(job, shared);
    return shared;
  }

  private takePlace(job: JobName): boolean {
    if (this.viewed.has(job)) return true;
    const isLeft = this.shared.get(job)?.viewers === 0;
    if (this.viewed.size >= MOST_VIEWS && !isLeft) this.endOneLeft();
    if (this.viewed.size >= MOST_VIEWS) return false;
    this.viewed.add(job);
    return true;
  }

  private endOneLeft(): void {
    for (const [job, shared] of this.shared) {
      if (shared.viewers === 0 && this.viewed.has(job)) return this.end(job, shared);
    }
  }

  private leave(job: JobName, shared: Shared): void {
    shared.viewers -= 1;
    if (shared.viewers > 0 || this.shared.get(job) !== shared) return;
    if (shared.reader.isOfNoJob) return this.end(job, shared);
    this.shared.delete(job);
    this.shared.set(job, shared);
    shared.closing = this.parts.clock.setTimer(LINGER_MS, () => this.end(job, shared));
  }

  private end(job: JobName, shared: Shared): void {
    if (this.shared.get(job) !== shared) return;
    shared.closing?.cancel();
    shared.view.close();
    this.shared.delete(job);
    this.viewed.delete(job);
  }
}
