import type { Clock } from '../../clock/index.js';
import type { JobName, Redact } from '../../domain/index.js';
import type { JobSchedule } from '../history/index.js';
import { type ItemFacts, type JobFacts, readItems, readJob, settingsOf } from '../../operations/index.js';
import { isUnanswered, type RegistryCenter, SessionLostError } from '../../registry/index.js';
import {
  type AuditTarget,
  type DisabledBy,
  type FailoverAnswer,
  isoOf,
  type ItemAnswer,
  type ItemsAnswer,
  type JobAnswer,
  type JobRow,
  type PageQuery,
  unknownJobProblem,
} from '../contract/index.js';
import { type IndexedJob, jobRow, ROW_PARTS } from './indexed-job.js';
import { itemAnswer, lastRunOf, membersOf, parametersIn } from './item-answer.js';
import { pageOf } from './job-list.js';
import type { FailedRun } from './run-errors.js';
import type { JobChange, JobView } from './job-view.js';

const NOBODY: DisabledBy = { by: null, at: null, reason: null };
/** Answers of a job that are kept for the time in which the registry is away. */
const MOST_KEPT = 8;

export interface JobReaderParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly view: JobView;
  /** True while the registry does not answer. */
  readonly isAway: () => boolean;
  /**
   * Receives what was read, for the index.
   * @param begunAt when the reading began, on the monotonic clock
   * @returns the job; undefined if it is none
   */
  readonly onRead: (job: JobName, facts: JobFacts, begunAt: number) => IndexedJob | undefined;
  /** The row of the index; undefined if it has none. */
  readonly rowOf: (job: JobName) => JobRow | undefined;
  readonly scheduleOf: (indexed: IndexedJob) => JobSchedule;
  /** The row with what the history tells of the job. @default nothing is known of it */
  readonly withPulse?: (row: JobRow) => JobRow;
  readonly disabledBy?: (targets: readonly AuditTarget[]) => Promise<readonly DisabledBy[]>;
  readonly errorsOf?: (job: JobName, runs: readonly FailedRun[]) => Promise<ReadonlyMap<number, string>>;
}

/** Answers about an open job. While the registry is away these are the last ones, marked as stale. */
export class JobReader {
  private readonly kept = new Map<string, unknown>();
  private isMissing = false;

  constructor(private readonly parts: JobReaderParts) {}

  /**
   * Of a job without a view the row of the index, which is read at the pace of the index.
   * @throws {ConsoleProblem} 404 if there is no such job
   */
  row(): Promise<JobRow> {
    const { rowOf, view } = this.parts;
    return this.orLast('row', async () => {
      await view.ready();
      const known = view.isOpen ? undefined : rowOf(this.name);
      return known ?? this.rowOf((await this.read()).indexed);
    });
  }

  /** @throws {ConsoleProblem} 404 if there is no such job */
  job(): Promise<JobAnswer> {
    return this.orLast(
      'job',
      async () => {
        const { facts, indexed } = await this.read();
        const { description = '' } = settingsOf(facts.config!.data, this.name).stored ?? {};
        const members = membersOf(facts, indexed);
        const servers = facts.servers.map(({ serverIp, status }) => {
          const instances = members.filter(({ ip }) => ip === serverIp).length;
          return { ip: serverIp, disabled: status === 'DISABLED', instances };
        });
        return {
          ...this.rowOf(indexed),
          description: this.parts.redact(description),
          after: indexed.settings.after,
          disabled: await this.disabledOf(indexed, servers),
          servers,
          members,
          configVersion: indexed.settings.version,
          stale: false,
        };
      },
      asStale,
    );
  }

  /** @throws {ConsoleProblem} 404 if there is no such job */
  schedule(): Promise<JobSchedule> {
    return this.orLast('schedule', async () => this.parts.scheduleOf((await this.read()).indexed));
  }

  /** @throws {ConsoleProblem} 404 if there is no such job, 400 for a cursor of another query */
  items(query: PageQuery): Promise<ItemsAnswer> {
    return this.orLast(
      `items ${JSON.stringify(query)}`,
      async () => {
        const asOf = isoOf(this.now);
        const job = await this.readItemNames();
        const items = [...job.owners.keys()];
        const { cursor, page } = pageOf(items, query, {
          list: 'items',
          place: (item) => [item],
          compare: ([a], [b]) => +a! - +b!,
        });
        const answers = await this.answersOf(job, page);
        return { items: answers, cursor, total: items.length, asOf, stale: false };
      },
      asStale,
    );
  }

  /** Undefined if the job has no such item. @throws {ConsoleProblem} 404 if there is no such job */
  item(item: number): Promise<ItemAnswer | undefined> {
    return this.orLast(`item ${item}`, async () => {
      const job = await this.readItemNames();
      const [answer] = await this.answersOf(job, job.owners.has(item) ? [item] : []);
      return answer;
    });
  }

  /** @throws {ConsoleProblem} 404 if there is no such job */
  failover(): Promise<FailoverAnswer> {
    return this.orLast(
      'failover',
      async () => {
        const { view } = this.parts;
        const asOf = isoOf(this.now);
        await view.ready();
        const reader = view.reader();
        const job = await readJob(reader, view.paths, ['queue']);
        this.assertThere(job);
        const queued = await readItems(reader, job, job.queuedItems);
        const items = queued.flatMap((one) => {
          if (one.queuedAt === undefined) return [];
          return [{ item: one.info.item, since: isoOf(one.queuedAt), lastRun: lastRunOf(one) }];
        });
        return { items, asOf, stale: false };
      },
      asStale,
    );
  }

  /** True if there was no such job when it was read last. */
  get isOfNoJob(): boolean {
    return this.isMissing;
  }

  onChange(listener: (change: JobChange) => void): () => void {
    return this.parts.view.onChange(listener);
  }

  private get name(): JobName {
    return this.parts.view.paths.jobName;
  }

  private get now(): number {
    return this.parts.clock.wallNow();
  }

  private async read(): Promise<{ readonly facts: JobFacts; readonly indexed: IndexedJob }> {
    const { clock, onRead, view } = this.parts;
    await view.ready();
    const begunAt = clock.monotonicNow();
    const facts = await readJob(view.reader(), view.paths, ROW_PARTS);
    const indexed = onRead(this.name, facts, begunAt);
    this.assertThere(facts);
    return { facts, indexed: indexed! };
  }

  private rowOf(indexed: IndexedJob): JobRow {
    const row = jobRow(indexed, this.now);
    return this.parts.withPulse?.(row) ?? row;
  }

  private async readItemNames(): Promise<JobFacts> {
    const { view } = this.parts;
    await view.ready();
    const job = await readJob(view.reader(), view.paths, ['instances', 'items']);
    this.assertThere(job);
    return job;
  }

  private assertThere({ config }: JobFacts): void {
    this.isMissing = config === undefined;
    if (this.isMissing) throw unknownJobProblem(this.name);
  }

  private async answersOf(job: JobFacts, items: readonly number[]): Promise<readonly ItemAnswer[]> {
    const parameters = parametersIn(job, this.name);
    const facts = await readItems(this.parts.view.reader(), job, items);
    const errors = await this.errorsOf(facts);
    const resting = facts.flatMap(({ info: { item }, isDisabled }) => (isDisabled ? [item] : []));
    const disabledBy = await this.disabledBy(resting.map((item) => ({ job: this.name, item })));
    const disabled = new Map(resting.map((item, index) => [item, disabledBy[index] ?? NOBODY]));
    return facts.map((one) => {
      const { item } = one.info;
      return itemAnswer(one, {
        parameter: parameters.get(item) ?? null,
        disabled: disabled.get(item) ?? null,
        error: errors.get(item) ?? null,
        redact: this.parts.redact,
      });
    });
  }

  private async errorsOf(items: readonly ItemFacts[]): Promise<ReadonlyMap<number, string>> {
    const failed = items.flatMap(({ info: { item, lastRun } }) =>
      lastRun?.outcome === 'failed' ? [{ ...lastRun, item }] : [],
    );
    return (failed.length === 0 ? undefined : await this.parts.errorsOf?.(this.name, failed)) ?? new Map();
  }

  private async disabledBy(targets: readonly AuditTarget[]): Promise<readonly DisabledBy[]> {
    return (targets.length === 0 ? undefined : await this.parts.disabledBy?.(targets)) ?? [];
  }

  private async disabledOf(
    { settings }: IndexedJob,
    servers: readonly { readonly disabled: boolean }[],
  ): Promise<JobAnswer['disabled']> {
    if (servers.some(({ disabled }) => !disabled)) return null;
    if (servers.length === 0 && !settings.isDisabled) return null;
    const newServers = settings.isDisabled ? 'disabled' : 'enabled';
    const [disabledBy = NOBODY] = await this.disabledBy([{ job: this.name }]);
    return { ...disabledBy, newServers };
  }

  /**
   * The answer, or the last one while the registry is away.
   * @param staleOf marks an answer as stale, if it has a field for that
   */
  private async orLast<T extends object | undefined>(
    key: string,
    answer: () => Promise<T>,
    staleOf = (last: T): T => last,
  ): Promise<T> {
    // oxlint-disable-next-line no-unsafe-type-assertion -- a key has answers of one type
    const last = this.kept.get(key) as T | undefined;
    if (last !== undefined && this.parts.isAway()) return staleOf(last);
    try {
      const given = await answer();
      this.keep(key, given);
      return given;
    } catch (error) {
      if (last === undefined || !(isUnanswered(error) || error instanceof SessionLostError)) throw error;
      return staleOf(last);
    }
  }

  private keep(key: string, answer: object | undefined): void {
    this.kept.delete(key);
    if (answer === undefined) return;
    this.kept.set(key, answer);
    const [oldest = key] = this.kept.keys();
    if (this.kept.size > MOST_KEPT) this.kept.delete(oldest);
  }
}

function asStale<T extends { readonly stale: boolean }>(answer: T): T {
  return { ...answer, stale: true };
}
