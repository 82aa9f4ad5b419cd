import type { Timer } from '../../clock/index.js';
import type { CoordinationServices, JobTree, LeadershipTerm } from '../../coordination/index.js';
import { type AwayParent, ConfigurationError, describeAwayParents, type JobName } from '../../domain/index.js';
import type { ChildrenWatch } from '../../registry/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { JobReconciler, type Report } from '../news/index.js';

/** Time between two looks at the parents, in milliseconds. */
const LOOK_MS = 60_000;
/** How long a parent is away until it is reported, in milliseconds: a service that restarts is back before. */
const AWAY_MS = 120_000;

/** A parent that did not run at the last look. */
interface Sight {
  readonly parent: AwayParent;
  /** Since the first look that found it so, on the monotonic clock. */
  readonly since: number;
}

const NONE_SEEN: ReadonlyMap<JobName, Sight> = new Map();

/**
 * Jobs after which a job starts, as its leader sees them. It registers the job at them, reports once if some of them do
 * not run, and once when all of them do again. It looks at them each minute; a missing one is reported at once.
 */
export class ParentWatch {
  /** Undefined until there is a parent to look at, as in most jobs. */
  private looking: JobReconciler | undefined;
  private next: Timer | undefined;
  private newJobs: ChildrenWatch | undefined;
  private isStopped = false;
  /** Parents at which the job could not be registered; undefined while no looks are due. */
  private missing: readonly JobName[] | undefined;
  private sights = NONE_SEEN;
  private reported = '';

  /** @param onReady called when `keep` has work again */
  constructor(
    private readonly tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'configurations' | 'dependencies' | 'leader'>,
    private readonly events: JobEvents,
    private readonly report: Report,
    private readonly onReady: () => void,
  ) {}

  stop(): void {
    this.isStopped = true;
    this.looking?.stop();
    this.next?.cancel();
    this.unfollowNewJobs();
  }

  /** @throws {ConfigurationError} if a parent has come that cannot be one */
  async keep(term: LeadershipTerm): Promise<void> {
    const { events, services, tree } = this;
    const { jobName } = tree;
    const isDamaged = services.dependencies.isDamaged(tree);
    const { missing, faults } = await services.dependencies.keep(tree, term);
    this.lookIfChanged(missing);
    if (isDamaged) events.emit({ kind: 'warning', jobName, message: describeDamage(tree.paths.after) });
    if (missing.length > 0) await this.followNewJobs(term);
    else this.unfollowNewJobs();
    if (faults.length > 0) throw new ConfigurationError(`job "${jobName}"`, faults);
  }

  private get after(): readonly JobName[] {
    const { services, tree } = this;
    return services.configurations.current(tree.jobName).after;
  }

  private lookIfChanged(missing: readonly JobName[]): void {
    if (missing.join() === this.missing?.join()) return;
    this.missing = missing;
    const what = 'looking at the jobs that it starts after';
    this.looking ??= new JobReconciler(this.tree, this.report, what, () => this.look());
    this.looking.wake();
  }

  private async look(): Promise<void> {
    const { services, tree } = this;
    const { clock } = this.tree;
    if (services.leader.term(tree.jobName) === undefined || this.after.length === 0) return this.rest();
    const found = await services.dependencies.findAway(tree);
    if (this.isStopped) return;
    this.reportAway(this.seeAgain(found));
    this.registerAnew(found);
    this.next?.cancel();
    this.next = clock.setTimer(LOOK_MS, () => this.looking?.wake());
  }

  /** Ends the looks until this instance leads a job with parents again. */
  private rest(): void {
    this.next?.cancel();
    this.missing = undefined;
    this.sights = NONE_SEEN;
    this.reported = '';
    this.services.dependencies.noteAway(this.tree, []);
  }

  /** @returns the parents that have been away for long enough to be reported */
  private seeAgain(found: readonly AwayParent[]): readonly AwayParent[] {
    const now = this.tree.clock.monotonicNow();
    const since = (name: JobName) => {
      const before = this.sights.get(name);
      // A job that comes has no instance yet for a moment.
      return before === undefined || before.parent.reason === 'missing' ? now : before.since;
    };
    this.sights = new Map(found.map((parent) => [parent.jobName, { parent, since: since(parent.jobName) }]));
    const isReported = (sight: Sight) => sight.parent.reason === 'missing' || now - sight.since >= AWAY_MS;
    return [...this.sights.values()].filter(isReported).map(({ parent }) => parent);
  }

  private reportAway(parents: readonly AwayParent[]): void {
    const { events, services, tree } = this;
    services.dependencies.noteAway(tree, parents);
    const text = describeAwayParents(parents);
    if (text === this.reported) return;
    this.reported = text;
    events.emit({ kind: 'parents-away', jobName: tree.jobName, parents });
  }

  /** A parent that was there is gone: once it is back, the job has to be registered at it again. */
  private registerAnew(found: readonly AwayParent[]): void {
    const isNew = ({ jobName, reason }: AwayParent) => reason === 'missing' && !this.missing?.includes(jobName);
    if (!found.some(isNew)) return;
    this.services.dependencies.forget(this.tree);
    this.onReady();
  }

  /** Follows jobs that come, since a parent may be among them. */
  private async followNewJobs({ signal }: LeadershipTerm): Promise<void> {
    if (this.newJobs !== undefined) return;
    const watch = await this.tree.registry.watchChildren('/', this.onReady, { signal });
    if (this.isStopped) return watch.close();
    this.newJobs = watch;
    // One may have come just before.
    this.onReady();
  }

  private unfollowNewJobs(): void {
    this.newJobs?.close();
    this.newJobs = undefined;
  }
}

function describeDamage(path: string): string {
  return `"${path}" could not be read and was created anew; starts that had not begun are lost`;
}
