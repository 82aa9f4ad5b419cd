import { ElasticJobError, type JobName, RERUN_LIMITS } from '../domain/index.js';

/**
 * The job has Java instances, which know no re-runs: one of them could take an item over and lose the progress of the
 * re-run. Nothing was written.
 * @remarks Ask again once the Java instances that the message names have left the job.
 */
export class JavaPeersError extends ElasticJobError {
  readonly code = 'JAVA_PEERS';

  constructor(
    readonly jobName: JobName,
    /** Ids of the Java instances, in Java's order. */
    readonly instances: readonly string[],
  ) {
    const [peers, they] = instances.length === 1 ? ['a Java instance', 'it has'] : ['Java instances', 'they have'];
    super(`Job "${jobName}" has ${peers} (${instances.join(', ')}), and so no re-runs; ask again once ${they} left.`);
  }
}

/**
 * The job is resident: its items run at all times, and have no fire times. Nothing was written.
 * @remarks Give the work that has to be done again to the running items, or to a job that is not resident.
 */
export class ResidentJobError extends ElasticJobError {
  readonly code = 'RESIDENT';

  constructor(readonly jobName: JobName) {
    super(`Job "${jobName}" is resident: its items run at all times, so no fire time can run again.`);
  }
}

/**
 * The job has `monitorExecution: false`: its instances write down neither begins nor ends, so nobody would know how far
 * a re-run has come. Nothing was written.
 * @remarks Set `monitorExecution` of the job to true, or trigger it.
 */
export class UnmonitoredJobError extends ElasticJobError {
  readonly code = 'UNMONITORED';

  constructor(readonly jobName: JobName) {
    super(`Job "${jobName}" has monitorExecution: false, and so no re-runs; set it to true, or trigger the job.`);
  }
}

/**
 * The job would have too many open re-runs, or targets in them: 16 and 10,000 are the most. A target is one item at one
 * fire time. Nothing was written.
 * @remarks Wait until open re-runs have ended, withdraw some, or ask for fewer fire times or items.
 */
export class TooManyRerunsError extends ElasticJobError {
  readonly code = 'TOO_MANY_RERUNS';

  constructor(
    readonly jobName: JobName,
    /** Open re-runs of the job. */
    readonly open: number,
    /** Targets of these. */
    readonly openTargets: number,
    /** Targets that were asked for. */
    readonly targets: number,
  ) {
    super(
      `Job "${jobName}" has ${open} open re-runs with ${openTargets} targets, and ${targets} more were asked for; it ` +
        `can have ${RERUN_LIMITS.open} with ${RERUN_LIMITS.targets}. Wait until some have ended, or withdraw some.`,
    );
  }
}

/**
 * The schedule of the job has no such fire time, or the job has no schedule of its own. Nothing was written.
 * @remarks Take one of the fire times that the message names, or set `anyTime`: then the job runs for any past instant.
 */
export class NoSuchFireTimeError extends ElasticJobError {
  readonly code = 'NO_SUCH_FIRE_TIME';

  /** Instants are in milliseconds since the epoch. */
  constructor(
    readonly jobName: JobName,
    readonly fireTime: number,
    /** The fire time before it; undefined if there is none. */
    readonly before: number | undefined,
    /** The fire time after it; undefined if there is none. */
    readonly after: number | undefined,
  ) {
    const neighbours = [
      ...(before === undefined ? [] : [`before it comes ${iso(before)}`]),
      ...(after === undefined ? [] : [`after it ${iso(after)}`]),
    ];
    const has = neighbours.length === 0 ? 'no schedule of its own' : `no fire time ${iso(fireTime)}`;
    const found = neighbours.length === 0 ? '' : `: ${neighbours.join(', ')}`;
    super(`Job "${jobName}" has ${has}${found}. Set anyTime to run it for ${iso(fireTime)} all the same.`);
  }
}

/**
 * The job has no such open re-run: it has ended, was withdrawn, or has never been.
 * @remarks Compare the id with those of `JobOperateApi.reruns`.
 */
export class UnknownRerunError extends ElasticJobError {
  readonly code = 'UNKNOWN_RERUN';

  constructor(
    readonly jobName: JobName,
    readonly id: string,
  ) {
    super(
      `Job "${jobName}" has no open re-run "${id}"; it may have ended. JobOperateApi.reruns has those that are open.`,
    );
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
