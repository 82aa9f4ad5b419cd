import type { JobTree } from '../../coordination/index.js';
import { ConfigurationError, fewNames } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from './job-settings.js';
import type { JobDefinition } from './job-definition.js';

/** Tells which Java peers share a job, and if its settings can be shared with them. */
export class MixedJob {
  private told = '';

  constructor(
    private readonly definition: JobDefinition,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
  ) {}

  /** @throws {ConfigurationError} if Java peers of the job would decide differently */
  assertShareable(tree: JobTree): void {
    const unshareable = this.settings.unshareable(tree);
    if (unshareable.length === 0) return;
    const { configuration, place } = this.definition;
    const peers = fewNames(tree.peers());
    throw new ConfigurationError(`job "${configuration.jobName}" (${place}), shared with Java (${peers})`, unshareable);
  }

  /** Reason why nothing begins beside the peers, if so. */
  problem(tree: JobTree): string | undefined {
    const unshareable = this.settings.unshareable(tree);
    if (unshareable.length === 0) return undefined;
    return `begins nothing while shared with ${fewNames(tree.peers())}: ${unshareable.join('; ')}`;
  }

  /**
   * Tells of the peers if they, or the settings that they do not support, have changed since they were last told.
   * @returns true if they have
   */
  tellPeers(tree: JobTree): boolean {
    const peers = tree.peers();
    const unshareable = this.settings.unshareable(tree);
    const current = [...peers, ...unshareable].join();
    if (current === this.told) return false;
    this.told = current;
    if (peers.length > 0) this.events.emit({ kind: 'mixed', jobName: tree.jobName, peers, unshareable });
    return true;
  }
}
