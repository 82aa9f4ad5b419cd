/**
 * Leadership of a job.
 *
 * ```mermaid
 * stateDiagram-v2
 *   nobody --> leads: a transaction creates the election node and raises the term
 *   nobody --> follows: another one has created it
 *   leads --> nobody: it resigns, its session ends, or an operator deletes the node
 *   follows --> nobody: the election node goes
 * ```
 *
 * State: `leader/election/instance` (ephemeral) holds the leader's instance id; `leader/election/term` (persistent)
 * counts our elections in its version. A term begins with the transaction that creates the first and raises the second.
 * It ends when the election node goes: with the session, by resigning, or by an operator's hand.
 *
 * Guarantees: at most one session holds the election node, because it is created, never overwritten. A deposed leader
 * cannot write, because each of its transactions carries the guard of its term.
 *
 * Beside Java: a candidate holds the latch under which Java checks and elects. A Java peer that overwrites the election
 * node all the same, by deleting it first, ends the term: the guard of its transactions is gone with the node.
 *
 * If the term node was deleted by hand and created again, the next election raises it above the last known term. So no
 * guard of a former term holds again. A leader whose term node was deleted stands anew.
 *
 * Failures: if the reply of the election is lost, the node's owner shows the winner. If the leader dies, its node goes
 * with its session, and every instance that sees this stands for election in one transaction, of which one commits.
 */
import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { acquireLatch, type HeldLatch, type TransactionResult } from '../../registry/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';
import { type LeadershipTerm, TermQueue } from './leadership-term.js';

/** Version of the election node of an elected leader. @see Operation, `lead` */
const ELECTED_VERSION = 1;
/** Most by which one election raises the term, so that its transaction stays small. */
const MOST_RAISED = 1_000;
const HOLD_BACK_MS = 1_000;
/** Longest wait for Java's latch. Without it the election goes on, protected by the term's guard. */
const LATCH_TIMEOUT_MS = 5_000;

export class Leadership {
  private readonly held = new Map<JobName, { readonly term: LeadershipTerm; readonly end: AbortController }>();
  private readonly watchers = new Map<JobName, Set<TermQueue>>();
  private readonly resignedAt = new Map<JobName, number>();
  /** Number of the last term of each job that this process knows of. */
  private readonly lastTerms = new Map<JobName, number>();

  constructor(
    private readonly trees: JobTrees,
    private readonly clock: Clock,
  ) {}

  /** True while this instance holds the current term, as far as the registry has told. */
  isLeader(jobName: JobName): boolean {
    return this.term(jobName) !== undefined;
  }

  /** The leader's instance id, as far as the registry has told; undefined between two leaders. */
  leader(jobName: JobName): string | undefined {
    return this.trees.of(jobName).leader();
  }

  /** This instance's term of the job, if it leads. */
  term(jobName: JobName): LeadershipTerm | undefined {
    return this.held.get(jobName)?.term;
  }

  /**
   * Iterates over this instance's terms, from the current one on, for work of the leader alone. Ends with `signal`, if
   * given.
   * @example for await (const term of leader.terms('settle-orders')) await publishSummary(term.signal);
   */
  terms(jobName: JobName, signal?: AbortSignal): AsyncIterable<LeadershipTerm> {
    const queue = new TermQueue(this.term(jobName), signal);
    const queues = this.watchers.get(jobName) ?? new Set();
    this.watchers.set(jobName, queues.add(queue));
    queue.onClosed(() => queues.delete(queue));
    return queue;
  }

  /** Gives up leadership, if held, and does not stand for a second, so that another instance can take it. */
  async resign(jobName: JobName): Promise<void> {
    const tree = this.trees.of(jobName);
    // It may have been elected by a transaction whose reply was lost.
    if (this.term(jobName) === undefined && tree.leader() !== tree.self.jobInstanceId) return;
    this.resignedAt.set(jobName, this.clock.monotonicNow());
    await repeat(untilCommitted(tree, 'resigning'), async () => {
      const term = tree.leader() === undefined ? undefined : this.recognise(tree);
      if (term === undefined) return true;
      const result = await tree.commit(
        [
          { kind: 'delete', path: tree.paths.leader, version: ELECTED_VERSION },
          { kind: 'check', path: tree.paths.term, version: term.term },
        ],
        {},
      );
      return result.kind === 'committed' || undefined;
    });
    this.endTerm(jobName, new Error(`Job "${jobName}": this instance has resigned.`));
  }

  /**
   * Stands for election once. Afterwards this instance leads, or another one does, or this one may not lead (its server
   * is disabled or it is not registered). @returns the term, if won
   */
  async elect(tree: JobTree): Promise<LeadershipTerm | undefined> {
    await this.holdBack(tree);
    const latch = tree.company.takesUnderLatch && tree.leader() === undefined ? await this.takeLatch(tree) : undefined;
    try {
      return await this.standUntilDecided(tree);
    } finally {
      void latch?.release(); // Not awaited, since nothing here waits for it.
    }
  }

  /** Ends the term because the election node is gone, and does not stand for a second: others may be wanted to lead. */
  depose(jobName: JobName): void {
    if (this.term(jobName) === undefined) return;
    this.resignedAt.set(jobName, this.clock.monotonicNow());
    this.endTerm(jobName, new Error(`Job "${jobName}": the election node is gone.`));
  }

  /** Ends the term because the session is gone. */
  endTerm(jobName: JobName, reason: unknown): void {
    const current = this.held.get(jobName);
    this.held.delete(jobName);
    current?.end.abort(reason);
  }

  forget(jobName: JobName): void {
    this.endTerm(jobName, new Error(`Job "${jobName}" is stopped.`));
    for (const queue of this.watchers.get(jobName) ?? []) queue.close();
    this.watchers.delete(jobName);
    this.resignedAt.delete(jobName);
    this.lastTerms.delete(jobName);
  }

  // Java checks for a leader and makes itself one in separate writes, under the latch.
  private async takeLatch(tree: JobTree): Promise<HeldLatch | undefined> {
    const { paths, signal } = tree;
    const latch = await acquireLatch(tree.registry, this.clock, paths.electionLatch, {
      timeoutMs: LATCH_TIMEOUT_MS,
      signal,
    });
    await tree.sync({ signal });
    return latch;
  }

  private async standUntilDecided(tree: JobTree): Promise<LeadershipTerm | undefined> {
    const { term } = await repeat(untilCommitted(tree, 'the election'), async () => {
      if (tree.leader() !== undefined && !this.isOwnTermLost(tree)) return { term: this.recognise(tree) };
      const termNode = tree.stat(tree.paths.term);
      const isEligible =
        tree.hasInstance(tree.self.jobInstanceId) && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
      if (termNode === undefined || !isEligible) return { term: undefined };
      const next = this.termAfter(tree, termNode.version);
      const result = await this.stand(tree, termNode.version, next);
      return result.kind === 'committed' ? { term: this.beginTerm(tree, next) } : undefined;
    });
    return term;
  }

  /** True if this session leads in a term whose node was deleted by hand and created again. */
  private isOwnTermLost(tree: JobTree): boolean {
    const isOwn = tree.stat(tree.paths.leader)?.ephemeralOwner === tree.registry.session.id;
    const { version } = tree.stat(tree.paths.term) ?? {};
    return isOwn && version !== undefined && version < this.lastTerm(tree.jobName);
  }

  /** Number of the next term: above the version of its node, and above all terms that this process knows of. */
  private termAfter({ jobName }: JobTree, version: number): number {
    return 1 + Math.max(version, Math.min(this.lastTerm(jobName), version + MOST_RAISED));
  }

  private lastTerm(jobName: JobName): number {
    return this.lastTerms.get(jobName) ?? 0;
  }

  /** @param before version of the term node @param term the version that it gets, one or more above it */
  private stand(tree: JobTree, before: number, term: number): Promise<TransactionResult> {
    const { paths } = tree;
    const data = tree.self.jobInstanceId;
    return tree.commitShared([
      { kind: 'check', path: paths.instance(data) },
      { kind: 'lead', path: paths.leader, data, version: tree.has(paths.leader) ? ELECTED_VERSION : undefined },
      { kind: 'term', path: paths.term, data, version: before, term },
    ]);
  }

  // The term as the tree shows it. It may have begun unnoticed, by an election with a lost reply, or ended unnoticed,
  // while the connection was away.
  private recognise(tree: JobTree): LeadershipTerm | undefined {
    const node = tree.stat(tree.paths.leader);
    const termNode = tree.stat(tree.paths.term);
    const isOurs = node?.ephemeralOwner === tree.registry.session.id && node?.version === ELECTED_VERSION;
    const known = this.term(tree.jobName);
    if (termNode !== undefined) this.noteTerm(tree.jobName, termNode.version);
    if (!isOurs || termNode === undefined) {
      this.endTerm(tree.jobName, new Error(`Job "${tree.jobName}": "${tree.leader()}" leads.`));
      return undefined;
    }
    return known?.term === termNode.version ? known : this.beginTerm(tree, termNode.version);
  }

  private noteTerm(jobName: JobName, term: number): void {
    this.lastTerms.set(jobName, Math.max(term, this.lastTerm(jobName)));
  }

  private beginTerm({ jobName, paths, self }: JobTree, term: number): LeadershipTerm {
    this.noteTerm(jobName, term);
    this.endTerm(jobName, new Error(`Job "${jobName}": a new term has begun.`));
    const end = new AbortController();
    const begun: LeadershipTerm = {
      jobName,
      instanceId: self.jobInstanceId,
      term,
      signal: end.signal,
      guard: [
        { kind: 'check', path: paths.leader, version: ELECTED_VERSION },
        { kind: 'check', path: paths.term, version: term },
      ],
    };
    this.held.set(jobName, { term: begun, end });
    for (const queue of this.watchers.get(jobName) ?? []) queue.push(begun);
    return begun;
  }

  private async holdBack(tree: JobTree): Promise<void> {
    const resignedAt = this.resignedAt.get(tree.jobName);
    if (resignedAt === undefined) return;
    this.resignedAt.delete(tree.jobName);
    const remaining = resignedAt + HOLD_BACK_MS - this.clock.monotonicNow();
    if (remaining > 0) await this.clock.sleep(remaining, tree.signal);
    await tree.sync({ signal: tree.signal });
  }
}
