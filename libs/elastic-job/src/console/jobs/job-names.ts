import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { jobNamesIn } from '../../operations/index.js';
import type { ChildrenWatch, RegistryCenter } from '../../registry/index.js';
import { Reconciler } from '../../repeat/index.js';

/** Least time between two listings of the namespace, in milliseconds: its names may be many. */
const LIST_NAMES_MS = 300;

interface JobNamesParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly onNames: (names: readonly JobName[]) => void;
  /** Called for the name of a node below the namespace of which something has changed, known or not. */
  readonly onChange: (name: string) => void;
  /** Receives what the registry or a defect has stopped; it is tried again all the same. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * The names below the namespace, and news of what changes below each. One deep watch tells both, however many jobs
 * there are. Changes while there was no connection are not told. It heals by itself, also in a new session.
 */
export class JobNames {
  private readonly ending = new AbortController();
  private readonly listing: Reconciler;
  private watch: ChildrenWatch | undefined;
  private watchedSession: string | undefined;
  private listedAt = -Infinity;

  constructor(private readonly parts: JobNamesParts) {
    this.listing = new Reconciler(parts.clock, () => this.list(), parts.onError);
  }

  /** Lists the names, and watches in the present session. */
  wake(): void {
    this.listing.wake();
  }

  /** Nothing is listed and watched any more when it resolves. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.listing.stop();
    await this.listing.rested();
    this.watch?.close();
  }

  private async list(): Promise<void> {
    const { clock, onNames, registry } = this.parts;
    const pauseMs = this.listedAt + LIST_NAMES_MS - clock.monotonicNow();
    if (pauseMs > 0) await clock.sleep(pauseMs, this.ending.signal);
    this.listedAt = clock.monotonicNow();
    const { id } = registry.session;
    if (this.watch === undefined || this.watchedSession !== id) {
      this.watch?.close();
      this.watch = undefined;
      // The watch comes first. A change between a listing and a later watch would never be seen.
      this.watch = await registry.watchChildren('/', (changed) => this.hear(changed), { isDeep: true });
      this.watchedSession = id;
    }
    onNames(await jobNamesIn(registry));
  }

  private hear(changed: string | undefined): void {
    const [, name = '', below] = changed?.split('/', 3) ?? [];
    if (name !== '') this.parts.onChange(name);
    // Its names are those of the nodes right below the namespace.
    if (below === undefined) this.listing.wake();
  }
}
