import type { Audit } from '../audit/index.js';
import type { ConfigChanges, ItemChanges, JobChanges, ServerChanges } from '../changes/index.js';
import type { ConsoleCaller, ConsoleRequest, FrameSink } from '../contract/index.js';
import type { HistoryReads } from '../history/index.js';
import type { IdentityDoor, JobDoor } from './doors.js';
import type { JobReads } from './job-reads.js';

/** Parts that routes call. */
export interface RouteCode {
  readonly identities: IdentityDoor;
  /** @throws {ConsoleProblem} 429 */
  readonly limits: { read(caller: ConsoleCaller): void };
  readonly index: JobDoor;
  /** Opens a stream. */
  readonly live: (
    request: ConsoleRequest,
    caller: ConsoleCaller,
    topics: readonly string[],
  ) => (sink: FrameSink) => void;
  readonly audit: Pick<Audit, 'note' | 'read'>;
  readonly reads: JobReads;
  readonly history: HistoryReads;
  readonly jobs: JobChanges;
  readonly items: ItemChanges;
  readonly config: ConfigChanges;
  readonly servers: ServerChanges;
  /** The text of `openapi.json`. */
  readonly document: () => Promise<string>;
}
