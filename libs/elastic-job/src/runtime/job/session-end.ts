import { SessionLostError } from '../../registry/index.js';
import type { JobSchedule } from '../settings/index.js';
import type { ProcessContext } from '../runs/index.js';
import type { JobEntry } from './job-entry.js';
import { OUTSIDE } from './job-mode.js';
import type { JobPresence } from './job-presence.js';

/** End of a job's session, and of its begins before. */
export class SessionEnd {
  constructor(
    private readonly shared: Pick<ProcessContext, 'events' | 'services'>,
    private readonly schedule: JobSchedule,
    private readonly entry: JobEntry,
    private readonly presence: JobPresence,
  ) {}

  /** Begins nothing more; running items go on. */
  stopBeginning(): void {
    const { session } = this.presence;
    this.schedule.stop();
    session?.close();
    session?.endResidents();
  }

  /** Ends the session, and with it everything that it held. The schedule continues with the next session. */
  loseSession(reason: unknown): void {
    const { entry, presence, schedule } = this;
    const { events, services } = this.shared;
    const { mode } = presence;
    if (mode.kind === 'outside') return;
    const { session } = mode;
    const { tree } = session;
    const { jobName, self } = tree;
    presence.mode = OUTSIDE;
    if (mode.kind === 'registered' && mode.sessionId !== undefined) entry.noteLost(tree, mode.sessionId);
    schedule.stop();
    session.close();
    services.leader.endTerm(jobName, reason);
    services.trees.unset(tree);
    tree.close(reason);
    presence.interruptStay(reason);
    const isSessionLost = reason instanceof SessionLostError;
    events.emit({ kind: 'left', jobName, instanceId: self.jobInstanceId, isSessionLost });
  }
}
