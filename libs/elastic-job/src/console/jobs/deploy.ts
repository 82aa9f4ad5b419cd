import { isoOf, type DrainAnswer, type OverviewAnswer, type VersionAnswer } from '../contract/index.js';
import type { IndexedInstance, IndexedJob } from './indexed-job.js';

/** Members of each list. */
const MOST_NAMED = 10;

/** An instance, over all of its jobs. Instants are milliseconds since the epoch. */
interface Member {
  readonly serverIp: string;
  readonly isJavas: boolean;
  readonly version: string | undefined;
  /** When it joined the first of its jobs. */
  joinedAt: number;
  /** Number of jobs that it is leaving, and since when it leaves the first of them. */
  drainingJobs: number;
  drainingSince: number;
}

/** A release, over all jobs. */
interface Release {
  instances: number;
  drainingInstances: number;
  jobs: number;
  mixedJobs: number;
  since: number;
  lastJoined: number;
}

/**
 * Instances and their releases. Several releases are no deploy as such: a namespace may have jobs of several
 * applications. In a job that is mixed one release takes the place of another.
 */
export function deployOf(
  jobs: readonly IndexedJob[],
): Pick<OverviewAnswer, 'draining' | 'drainingInstances' | 'instances' | 'versions'> {
  const members = new Map<string, Member>();
  const releases = new Map<string | undefined, Release>();
  for (const { instances } of jobs) {
    for (const instance of instances) gather(members, instance);
    countJob(releases, instances);
  }
  for (const member of members.values()) if (!member.isJavas) countMember(releases, member);
  const draining = [...members].filter(([, { drainingJobs }]) => drainingJobs > 0);
  return {
    instances: members.size,
    versions: [...releases]
      .toSorted(([, a], [, b]) => b.lastJoined - a.lastJoined)
      .slice(0, MOST_NAMED)
      .map(versionAnswer),
    drainingInstances: draining.length,
    draining: draining
      .toSorted(([, a], [, b]) => a.drainingSince - b.drainingSince)
      .slice(0, MOST_NAMED)
      .map(drainAnswer),
  };
}

function gather(members: Map<string, Member>, instance: IndexedInstance): void {
  const { drainingSince, id, isJavas, joinedAt, serverIp, version } = instance;
  let member = members.get(id);
  if (member === undefined) {
    member = { serverIp, isJavas, version, joinedAt, drainingJobs: 0, drainingSince: Infinity };
    members.set(id, member);
  }
  member.joinedAt = Math.min(member.joinedAt, joinedAt);
  if (drainingSince === undefined) return;
  member.drainingJobs += 1;
  member.drainingSince = Math.min(member.drainingSince, drainingSince);
}

function countJob(releases: Map<string | undefined, Release>, instances: readonly IndexedInstance[]): void {
  const versions = new Set<string | undefined>();
  for (const { isJavas, version } of instances) if (!isJavas) versions.add(version);
  for (const version of versions) {
    const release = releaseIn(releases, version);
    release.jobs += 1;
    if (versions.size > 1) release.mixedJobs += 1;
  }
}

function countMember(releases: Map<string | undefined, Release>, { drainingJobs, joinedAt, version }: Member): void {
  const release = releaseIn(releases, version);
  release.instances += 1;
  if (drainingJobs > 0) release.drainingInstances += 1;
  release.since = Math.min(release.since, joinedAt);
  release.lastJoined = Math.max(release.lastJoined, joinedAt);
}

function releaseIn(releases: Map<string | undefined, Release>, version: string | undefined): Release {
  const known = releases.get(version);
  if (known !== undefined) return known;
  const release = { instances: 0, drainingInstances: 0, jobs: 0, mixedJobs: 0, since: Infinity, lastJoined: -Infinity };
  releases.set(version, release);
  return release;
}

function versionAnswer([version, release]: readonly [string | undefined, Release]): VersionAnswer {
  const { lastJoined, since } = release;
  return { ...release, version: version ?? null, since: isoOf(since), lastJoined: isoOf(lastJoined) };
}

function drainAnswer([instance, member]: readonly [string, Member]): DrainAnswer {
  const { drainingJobs, drainingSince, serverIp: ip, version = null } = member;
  return { instance, ip, version, jobs: drainingJobs, since: isoOf(drainingSince) };
}
