/** A server of a job, as retention sees it. */
export interface RetainedServer {
  readonly serverIp: string;
  /** False: an operator's DISABLED, which stays for ever, or a text that cannot be read. */
  readonly isEnabled: boolean;
  /** True if an instance of this address is registered. */
  readonly isInUse: boolean;
  /** When the loss of the last instance was noticed, in milliseconds since the epoch; undefined if it was not. */
  readonly departedAt: number | undefined;
}

/** Changes that retention makes, as addresses of servers. */
export interface RetentionDecision {
  /** Servers that have just lost their last instance: their retention time starts. */
  readonly departed: readonly string[];
  /** Servers that have an instance again. */
  readonly returned: readonly string[];
  /** Servers without an instance for longer than the retention time. */
  readonly expired: readonly string[];
}

/**
 * Decides which servers retention notes, clears and removes.
 * @param retentionMs how long an address without an instance stays known
 */
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
