import { type Clock, Deadline } from '../../clock/index.js';
import { ElasticJobError, type JobName } from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import {
  DRAINING,
  formatClockOffset,
  formatInstance,
  type JobTree,
  type JobTrees,
  type RegisteredInstance,
  untilCommitted,
} from '../job-tree/index.js';

interface JoinOptions {
  /** Initial state of a server that was never registered, by the settings as the tree has them now. */
  readonly isDisabled: () => boolean;
  /** Sessions that this process has lost, by instance id. Their remaining nodes are removed. */
  readonly former?: ReadonlyMap<string, string>;
  /** Further operations for the registering transaction, as of the present tree; undefined: sync, and ask again. */
  readonly alongside?: () => Promise<readonly Operation[] | undefined>;
  /** Milliseconds by which this instance's clock is ahead of the registry's. @default unknown */
  readonly clockOffsetMs?: number;
  /** Ends the wait for a predecessor. */
  readonly signal?: AbortSignal;
}

/** Instances that take part in a job. */
export class Instances {
  constructor(
    private readonly trees: JobTrees,
    private readonly clock: Clock,
  ) {}

  /** Registered instances now, in Java's order. */
  async instances(jobName: JobName): Promise<readonly RegisteredInstance[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.instances();
  }

  /**
   * Registers this instance in one transaction: its instance node, its session node and, if it is new, its server node.
   * An operator's DISABLED on the server stays. A new server starts by the settings in the registry at that moment, so
   * none misses a switch of the whole job. Nodes of a lost session of this process go at once, so that no one waits for
   * the registry to end that session. When this resolves, an operator may already have removed the instance again, so
   * check.
   * @throws {InstanceIdTakenError} if the id is held by a session that outlives one session timeout
   * @throws the signal's reason, if it aborts while a predecessor is awaited
   */
  async join(tree: JobTree, options: JoinOptions): Promise<void> {
    const deadline = Deadline.after(this.clock, 1.5 * tree.registry.session.timeoutMs);
    await repeat(untilCommitted(tree, 'registering the instance'), async () => {
      const holder = holderOf(tree);
      // The reply was lost. If only the session node is left, an operator has removed the instance since.
      if (holder === tree.registry.session.id) return true;
      const isOwn = holder === options.former?.get(tree.self.jobInstanceId);
      if (holder !== undefined && !isOwn) return this.waitForPredecessor(tree, holder, deadline, options.signal);
      const alongside = options.alongside === undefined ? [] : await options.alongside();
      if (alongside === undefined) return undefined;
      await tree.commitShared([...joinOperations(tree, options), ...alongside]);
      return undefined; // Read the result, since the server node may have appeared meanwhile.
    });
  }

  // Waits for the holder of the id to go. A configured id may come back before its former session has ended, and an
  // operator may have shut down its holder.
  private async waitForPredecessor(
    tree: JobTree,
    holder: string,
    deadline: Deadline,
    signal: AbortSignal | undefined,
  ): Promise<undefined> {
    const isGone = () => holderOf(tree) !== holder;
    if (await tree.until(isGone, ['InstanceLost', 'SessionEnded', 'TreeReset'], deadline, signal)) return undefined;
    throw new InstanceIdTakenError(tree.jobName, tree.self.jobInstanceId, holder);
  }

  /**
   * Announces that this instance is leaving: others get its items, while it stays registered until its runs have ended.
   * Beside Java only our own leader follows it. One request.
   */
  async announceDrain(tree: JobTree): Promise<void> {
    if (ownersOf(tree).session !== tree.registry.session.id) return;
    const path = tree.paths.session(tree.self.jobInstanceId);
    await tree.commit([{ kind: 'set', path, data: DRAINING }]);
  }

  /**
   * Reports to the others how far this instance's clock is ahead of the registry's, in milliseconds. One request, or
   * none.
   */
  async reportClock(tree: JobTree, offsetMs: number): Promise<void> {
    const path = tree.paths.session(tree.self.jobInstanceId);
    const { data, stat } = tree.node(path) ?? {};
    if (stat?.ephemeralOwner !== tree.registry.session.id || data === DRAINING) return;
    const text = formatClockOffset(offsetMs);
    // With the version, so that a drain announced meanwhile is not overwritten.
    const report: Operation = { kind: 'set', path, data: text, version: stat?.version };
    if (data !== text) await tree.commit([report]);
  }

  /**
   * Creates the session node again if somebody has deleted it while this instance is registered: without it the
   * instance would count as dead once its instance node is deleted. No request while the node exists.
   * @param clockOffsetMs milliseconds by which this instance's clock is ahead of the registry's. @default unknown
   */
  async keepSession(tree: JobTree, clockOffsetMs?: number): Promise<void> {
    const { paths, registry, self, signal } = tree;
    await repeat(untilCommitted(tree, 'keeping the session node'), async () => {
      const { instance } = ownersOf(tree);
      if (instance !== registry.session.id || tree.hasSession(self.jobInstanceId)) return true;
      const path = paths.session(self.jobInstanceId);
      const result = await tree.commit(
        [
          { kind: 'check', path: paths.instance(self.jobInstanceId) },
          ...(tree.has(paths.sessions) ? [] : [creation(paths.sessions)]),
          { kind: 'create', path, data: formatClockOffset(clockOffsetMs), mode: 'EPHEMERAL' },
        ],
        { signal },
      );
      return result.kind === 'committed' || undefined;
    });
  }

  /** Removes the nodes that `join` registered. Missing nodes are no error, as the session may have ended first. */
  async leave(tree: JobTree): Promise<void> {
    await tree.sync();
    const { paths, self } = tree;
    // Repeated until done: a remaining session node, marked as draining, would keep this process out of the job as long
    // as its session lasts.
    await repeat(untilCommitted(tree, 'removing the instance'), async () => {
      const operations = [paths.instance(self.jobInstanceId), paths.session(self.jobInstanceId)]
        .filter((path) => tree.stat(path)?.ephemeralOwner === tree.registry.session.id)
        .map((path): Operation => ({ kind: 'delete', path }));
      if (operations.length === 0) return true;
      return (await tree.commitShared(operations, undefined, {})).kind === 'committed' ? true : undefined;
    });
  }
}

/** Sessions that hold the nodes of the own id. */
function ownersOf(tree: JobTree) {
  const { paths, self } = tree;
  return {
    instance: tree.stat(paths.instance(self.jobInstanceId))?.ephemeralOwner,
    session: tree.stat(paths.session(self.jobInstanceId))?.ephemeralOwner,
  };
}

/** Session that has the own id; of an instance that was shut down, until its session node is gone. */
function holderOf(tree: JobTree): string | undefined {
  const { instance, session } = ownersOf(tree);
  return instance ?? session;
}

function joinOperations(tree: JobTree, { clockOffsetMs, former = new Map(), isDisabled }: JoinOptions): Operation[] {
  const { paths, self } = tree;
  const left = [...former].flatMap(([instanceId, sessionId]) => nodesOf(tree, instanceId, sessionId));
  const [instance, session] = [paths.instance(self.jobInstanceId), paths.session(self.jobInstanceId)];
  const gone = left.filter((path) => path !== instance && path !== session);
  const own = (path: string, data: string): Operation => {
    return { kind: left.includes(path) ? 'renew' : 'create', path, data, mode: 'EPHEMERAL' };
  };
  const server = paths.server(self.serverIp);
  const departed = paths.departed(self.serverIp);
  return [
    ...gone.map((path) => ({ kind: 'delete', path }) as const),
    own(instance, formatInstance(self)),
    own(session, formatClockOffset(clockOffsetMs)),
    // Checked, since the leader may be removing the server of an address that has had no instance for long.
    ...(tree.has(server)
      ? [{ kind: 'check', path: server } as const]
      : [...checkOf(tree, paths.config), creation(server, isDisabled() ? 'DISABLED' : 'ENABLED')]),
    ...(tree.has(departed) ? [{ kind: 'delete', path: departed } as const] : []),
  ];
}

/** Checks that a node is unchanged, if it is there. */
function checkOf(tree: JobTree, path: string): Operation[] {
  const version = tree.stat(path)?.version;
  return version === undefined ? [] : [{ kind: 'check', path, version }];
}

/**
 * Remaining nodes of a lost session of this process. They go at once, since a session node without its instance node
 * looks like an operator's shutdown.
 */
function nodesOf(tree: JobTree, instanceId: string, sessionId: string): string[] {
  const { paths } = tree;
  return [paths.instance(instanceId), paths.session(instanceId), paths.leader].filter(
    (path) => tree.stat(path)?.ephemeralOwner === sessionId,
  );
}

/**
 * The configured `instanceId` is in use by a session that does not end.
 * @remarks Give each instance an `instanceId` of its own, or none. Also look for a second process with the same one.
 */
export class InstanceIdTakenError extends ElasticJobError {
  readonly code = 'INSTANCE_ID_TAKEN';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
    readonly ownerSession: string | undefined,
  ) {
    super(
      `Job "${jobName}": instance "${instanceId}" is registered by the live session ${ownerSession ?? '(unknown)'}; ` +
        'give each instance its own instanceId, or none.',
    );
  }
}
