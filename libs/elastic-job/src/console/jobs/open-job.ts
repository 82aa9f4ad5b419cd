import type { FailoverAnswer, ItemAnswer, ItemsAnswer, JobAnswer, JobRow, PageQuery } from '../contract/index.js';
import type { JobSchedule } from '../history/index.js';
import type { JobReader } from './job-reader.js';
import type { JobChange } from './job-view.js';

/** A job that somebody looks at. */
export class OpenJob implements Pick<
  JobReader,
  'failover' | 'item' | 'items' | 'job' | 'onChange' | 'row' | 'schedule'
> {
  private isOpen = true;

  constructor(
    private readonly reader: JobReader,
    private readonly leave: () => void,
  ) {}

  row(): Promise<JobRow> {
    return this.reader.row();
  }

  job(): Promise<JobAnswer> {
    return this.reader.job();
  }

  items(query: PageQuery): Promise<ItemsAnswer> {
    return this.reader.items(query);
  }

  item(item: number): Promise<ItemAnswer | undefined> {
    return this.reader.item(item);
  }

  failover(): Promise<FailoverAnswer> {
    return this.reader.failover();
  }

  schedule(): Promise<JobSchedule> {
    return this.reader.schedule();
  }

  /** @returns a function that removes the listener */
  onChange(listener: (change: JobChange) => void): () => void {
    return this.reader.onChange(listener);
  }

  /** Idempotent. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.leave();
  }
}
