import type { NodeStat, NodeOperation, RegistryNode } from '../../registry-center.js';
import type { RegistryTime } from '../../ensemble.js';
import type { Answer, MultiResult, Request } from '../wire/index.js';
import type { ExpectedEvents, NodeEventKind, OwnEventKind, Watches } from './watches.js';

/** Operations of a write, and how to read its answer. */
interface Writing<T> {
  readonly operations: readonly NodeOperation[];
  /** The server's path of each. */
  readonly paths: readonly string[];
  /** The result of each operation in an answer; undefined if none was applied. */
  readonly resultsIn: (value: T) => readonly MultiResult[] | undefined;
  /** The port's path of a created node. */
  readonly createdPath: (named: string, absolutePath: string | undefined) => string;
}

/**
 * A write that delivers its own events. The server sends them right before its answer, in the order of the operations.
 * So from the moment at which its answer comes next, an event that the write expects is held back, and delivered with
 * the answer, which also has the content. If another event follows, or the write turns out not to be applied, the
 * events so far were those of others, and are delivered as such then.
 *
 * Its answer reveals the leader's clock as well: the leader stamps the write between sending and answer.
 */
export class OwnWrite<T> implements Request<T>, ExpectedEvents {
  readonly opCode: number;
  readonly payload: Request<T>['payload'];
  readonly read: Request<T>['read'];
  /** Places of the operations whose events have come in a row, ascending. */
  private received: number[] = [];
  /** Place of the next operation that may have an event. */
  private next = 0;
  private noteTime: ((time: number) => void) | undefined;

  constructor(
    private readonly watches: Watches,
    private readonly time: RegistryTime,
    { opCode, payload, read }: Request<T>,
    private readonly writing: Writing<T>,
  ) {
    this.opCode = opCode;
    this.payload = payload;
    this.read = read;
  }

  sending(): void {
    this.noteTime = this.time.writing();
  }

  comesNext(): void {
    this.watches.expect(this);
  }

  /**
   * Another event than the next one shows that those before it were of others, since the own ones come in a row.
   * @returns true if this is the event of the next operation, which is delivered with the answer
   */
  takes(kind: NodeEventKind, absolutePath: string): boolean {
    // Of parents, in between.
    if (kind === 'children') return false;
    if (this.isNext(kind, absolutePath)) return true;
    if (this.next === 0) return false;
    this.deliverOthers();
    return this.isNext(kind, absolutePath);
  }

  answered(answer: Answer<T>): void {
    this.watches.conclude(this);
    const results = answer.kind === 'ok' ? this.writing.resultsIn(answer.value) : undefined;
    if (results === undefined) return this.deliverOthers();
    const stamp = stampOf(results);
    if (stamp !== undefined) this.noteTime?.(stamp);
    const { operations } = this.writing;
    let received = 0;
    for (let index = 0; index < operations.length; index += 1) {
      const isReceived = this.received[received] === index;
      if (isReceived) received += 1;
      this.deliver(index, isReceived, results[index]);
    }
  }

  private isNext(kind: NodeEventKind, absolutePath: string): boolean {
    const { operations, paths } = this.writing;
    while (this.next < paths.length && !this.hasEvent(this.next)) this.next += 1;
    if (paths[this.next] !== absolutePath || eventOf(operations[this.next]!) !== kind) return false;
    this.received.push(this.next);
    this.next += 1;
    return true;
  }

  private hasEvent(index: number): boolean {
    const { operations, paths } = this.writing;
    return operations[index]!.kind !== 'check' && this.watches.of(paths[index]!).length > 0;
  }

  private deliver(index: number, isReceived: boolean, result: MultiResult | undefined): void {
    const { createdPath, operations, paths } = this.writing;
    const operation = operations[index]!;
    const kind = eventOf(operation);
    if (kind === undefined) return;
    const node = nodeAfter(operation, result, createdPath);
    for (const watcher of this.watches.of(paths[index]!)) {
      if (isReceived) watcher.receiveOwn(kind, operation.path, node);
      else if (node !== undefined) watcher.wrote(node);
    }
  }

  /** Delivers the held events as those of others: they are not of this write, or it is unknown if they are. */
  private deliverOthers(): void {
    const { received } = this;
    this.received = [];
    this.next = 0;
    const { operations, paths } = this.writing;
    for (const index of received) this.watches.notify(eventOf(operations[index]!)!, paths[index]!);
  }
}

function eventOf({ kind }: NodeOperation): OwnEventKind | undefined {
  switch (kind) {
    case 'create':
      return 'created';
    case 'set':
      return 'changed';
    case 'delete':
      return 'deleted';
    case 'check':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** The node that an operation has left, as its result shows it; undefined if it does not. */
function nodeAfter(
  operation: NodeOperation,
  result: MultiResult | undefined,
  createdPath: Writing<unknown>['createdPath'],
): RegistryNode | undefined {
  const stat = statIn(result);
  if (stat === undefined || !('data' in operation)) return undefined;
  const { path, data } = operation;
  return { path: result?.kind === 'create' ? createdPath(path, result.path) : path, data, stat };
}

function statIn(result: MultiResult | undefined): NodeStat | undefined {
  return result?.kind === 'create' || result?.kind === 'set' ? result.stat : undefined;
}

/** Time of a transaction, which all nodes have that it writes; undefined if it has written none. */
function stampOf(results: readonly MultiResult[]): number | undefined {
  for (const result of results) {
    const stat = statIn(result);
    if (stat !== undefined) return stat.mtime;
  }
  return undefined;
}
