import { JobPaths } from '../../../libs/elastic-job/src/coordination/index.js';
import {
  formatRerun,
  type JobOptions,
  parseRerun,
  parseRerunProgress,
  type Rerun,
  type ShardingContext,
} from '../../../libs/elastic-job/src/domain/index.js';
import { creation, type RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestJobOptions,
} from '../../../libs/elastic-job/src/testing/index.js';
import { editConfig } from './operators.js';
import { operatorOf } from './registry-walk.js';

export const JOB = 'settle-orders';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

type Options = Partial<Omit<JobOptions, 'name'>> & {
  readonly instances?: number;
  readonly handler?: TestJobHandler;
  readonly others?: readonly TestJobOptions[];
};

/** One call of a handler. */
interface Call {
  readonly context: ShardingContext;
  readonly instance: number;
  isEnded: boolean;
}

/** A job of three items that runs each minute in a cluster, and an operator who asks for re-runs of past minutes. */
export class RerunJob {
  readonly paths = new JobPaths(JOB);

  private constructor(
    readonly cluster: TestCluster,
    readonly operator: RegistryCenter,
    /** In the order in which they began. */
    readonly calls: readonly Call[],
    /** The full minute in which the job was started. */
    private readonly minute: number,
  ) {}

  static async start({ instances = 2, handler, others = [], ...options }: Options = {}): Promise<RerunJob> {
    const calls: Call[] = [];
    const counted: TestJobHandler = async (context, process) => {
      const call = { context, instance: process.index, isEnded: false };
      calls.push(call);
      await (handler === undefined ? process.clock.sleep(2 * SECOND) : handler(context, process));
      call.isEnded = true;
    };
    const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 3, failover: true, ...options, handler: counted };
    const cluster = await createTestCluster({ instances, jobs: [job, ...others] });
    const now = cluster.clock.wallNow();
    return new RerunJob(cluster, await operatorOf(cluster), calls, now - (now % MINUTE));
  }

  async stop(): Promise<void> {
    await this.operator.close();
    await this.cluster.stop();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  /** Moves to `offset` milliseconds from the next full minute. */
  untilNextMinute(offset = 0): Promise<void> {
    return this.advance(MINUTE - (this.cluster.clock.wallNow() % MINUTE) + offset);
  }

  /** The full minute so many minutes before the start. */
  ago(minutes: number): number {
    return this.minute - minutes * MINUTE;
  }

  /** Asks for a re-run as the operations do. No time passes. @param minutes full minutes before the start */
  async ask(id: string, items: readonly number[], minutes: readonly number[], more?: Partial<Rerun>): Promise<void> {
    const { operator, paths } = this;
    const fireTimes = minutes.map((count) => this.ago(count)).toSorted((a, b) => a - b);
    const rerun = formatRerun({ at: this.cluster.clock.wallNow(), items, fireTimes, ...more });
    const isFirst = (await operator.exists(paths.reruns)) === undefined;
    const operations = [...(isFirst ? [creation(paths.reruns)] : []), creation(paths.rerun(id), rerun)];
    const result = await operator.transaction(operations);
    if (result.kind === 'refused') throw new Error(`${result.path}: ${result.refusal}`);
  }

  /** Begins to withdraw a re-run, and dies. */
  async withdraw(id: string): Promise<void> {
    const path = this.paths.rerun(id);
    const { data, stat } = (await this.operator.read(path))!;
    await this.operator.set(path, formatRerun({ ...parseRerun(data)!, withdrawn: true }), stat.version);
  }

  async isOpen(id: string): Promise<boolean> {
    return (await this.operator.exists(this.paths.rerun(id))) !== undefined;
  }

  /** Ended and failed targets of an item; undefined if none has ended. */
  async progress(id: string, item: number): Promise<string | undefined> {
    const node = await this.operator.read(this.paths.rerunItem(id, item));
    const progress = node && parseRerunProgress(node.data);
    return progress && `${progress.ended} ended, ${progress.failed} failed`;
  }

  /** Fire times that an item ran for, in order: minutes before the start for re-runs, `due` for the schedule. */
  ranFor(item: number, calls: readonly Call[] = this.calls): string[] {
    return calls
      .filter(({ context }) => context.shardingItem === item)
      .map(({ context }) => {
        const { fireTime, source, trigger } = context;
        const what = trigger === 'schedule' ? 'due' : `${trigger.id} ${(this.minute - fireTime.getTime()) / MINUTE}`;
        return source === 'NORMAL_TRIGGER' ? what : `${what} ${source}`;
      });
  }

  /** Calls that have returned. */
  get ended(): readonly Call[] {
    return this.calls.filter(({ isEnded }) => isEnded);
  }

  edit(line: RegExp, replacement: string): Promise<void> {
    return editConfig(this.operator, JOB, line, replacement);
  }

  async record(item: number): Promise<Record<string, unknown>> {
    return JSON.parse((await this.operator.read(this.paths.record(item)))!.data);
  }
}
