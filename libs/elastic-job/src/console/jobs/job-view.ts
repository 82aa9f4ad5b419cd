import type { Clock } from '../../clock/index.js';
import { JobPaths, TreeBounds } from '../../coordination/index.js';
import { type JobName, Listeners } from '../../domain/index.js';
import type { NodeReader } from '../../operations/index.js';
import type { RegistryCenter, Subtree, SubtreeEvent } from '../../registry/index.js';
import { keepRounds, Reconciler } from '../../repeat/index.js';

/** Milliseconds between two looks at a job that has no view. */
const LOOK_MS = 2_000;

/** A change: of an item, of something of the job itself, or of perhaps anything. */
export type JobChange = number | 'job' | 'all';

export interface JobViewParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** Takes one of the places for views, unless the job has one already. @returns false if there is none left */
  readonly takePlace: (job: JobName) => boolean;
}

/**
 * The nodes of one open job. They are read from a view, which tells of changes; a job that has no place for one is read
 * from the registry, and counts as changed every two seconds. The view ends with its session, and is opened again in
 * the next one. Values are loaded where they are asked for, so that a hundred changes cost one request.
 */
export class JobView {
  readonly paths: JobPaths;
  private readonly changes = new Listeners<(change: JobChange) => void>();
  private readonly ending = new AbortController();
  private readonly opening: Reconciler;
  private view: Subtree | undefined;
  private viewedSession: string | undefined;
  private readonly stopListening: () => void;

  constructor(
    job: JobName,
    private readonly parts: JobViewParts,
  ) {
    const { clock, registry } = parts;
    this.paths = new JobPaths(job);
    // Requests report what the registry refuses, and the rounds wake it again.
    this.opening = new Reconciler(
      clock,
      () => this.open(),
      () => {},
    );
    this.stopListening = registry.onSession(() => this.look());
    this.opening.wake();
    void keepRounds(async () => this.look(), {
      clock,
      signal: this.ending.signal,
      longestMs: LOOK_MS,
      spread: 0,
      onError: () => {},
    });
  }

  /** False if there is none, and what is asked for is read from the registry. */
  get isOpen(): boolean {
    return this.view !== undefined && this.viewedSession === this.parts.registry.session.id;
  }

  /** Resolves once the view is open, or cannot be opened now. */
  ready(): Promise<void> {
    return this.opening.rested();
  }

  /** The nodes as they are now. */
  reader(): NodeReader {
    const { view } = this;
    return view !== undefined && this.isOpen ? readerOf(view) : this.parts.registry;
  }

  onChange(listener: (change: JobChange) => void): () => void {
    return this.changes.add(listener);
  }

  close(): void {
    this.ending.abort();
    this.opening.stop();
    this.stopListening();
    this.view?.close();
    this.view = undefined;
  }

  private look(): void {
    if (this.isOpen || this.ending.signal.aborted) return;
    this.opening.wake();
    this.tell('all');
  }

  private async open(): Promise<void> {
    const { registry, takePlace } = this.parts;
    if (this.isOpen || !takePlace(this.paths.jobName)) return;
    this.view?.close();
    this.view = undefined;
    const { id } = registry.session;
    const bounds = new TreeBounds(this.paths, () => {});
    const options = { holds: () => false, bounds, signal: this.ending.signal };
    const view = await registry.openSubtree(this.paths.root, (event) => this.hear(event), options);
    if (this.ending.signal.aborted) return view.close();
    this.view = view;
    this.viewedSession = id;
    this.tell('all');
  }

  private hear(event: SubtreeEvent): void {
    if (event.kind === 'reset') return this.tell('all');
    const node = this.paths.parse(event.path);
    this.tell('item' in node && node.item !== undefined ? node.item : 'job');
  }

  private tell(change: JobChange): void {
    this.changes.forEach((listener) => listener(change));
  }
}

function readerOf(view: Subtree): NodeReader {
  return {
    childrenMany: async (paths) => paths.map((path) => (view.has(path) ? view.children(path) : undefined)),
    readMany: async (paths, options) => {
      await view.load(paths, options);
      return paths.map((path) => view.node(path));
    },
  };
}
