/** A server of a job, as retention sees it. */
export interface RetainedServer {
  readonly serverIp: string;
  /** False: an operator's DISABLED, which stays for ever, or a text that nobody can read. */
  readonly isEnabled: boolean;
  /** An instance of this address is registered. */
  readonly isInUse: boolean;
  /** When it was noticed that no instance is left, in milliseconds since the epoch; undefined: it was not. */
  readonly departedAt: number | undefined;
}

/** What retention does about servers, each named by its address. */
export interface RetentionDecision {
  /** Their last instance has gone: from now on their time counts. */
  readonly departed: readonly string[];
  /** They have an instance again. */
  readonly returned: readonly string[];
  /** They have had no instance for long enough. */
  readonly expired: readonly string[];
}

/** @param retentionMs how long an address without an instance stays known */
export function decideRetention(
  servers: readonly RetainedServer[],
  now: number,
  retentionMs: number,
): RetentionDecision {
  const named = (isMeant: (server: RetainedServer) => boolean) =>
    servers.filter(isMeant).map(({ serverIp }) => serverIp);
  const idle = (server: RetainedServer) => server.isEnabled && !server.isInUse;
  return {
    departed: named((server) => idle(server) && server.departedAt === undefined),
    returned: named(({ isInUse, departedAt }) => isInUse && departedAt !== undefined),
    expired: named((server) => idle(server) && now - (server.departedAt ?? now) >= retentionMs),
  };
}
