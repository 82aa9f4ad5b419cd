const SESSION = /0x[\da-f]+/g;
const EPHEMERALS = /^ephemeral nodes dump:$/m;
const CONNECTIONS = /^Connections dump:$/m;

/**
 * Reads the answer to `dump`: the ids of the sessions, without their 0x, with the paths of their ephemeral nodes. A
 * session that the server moves to another expiry time while it writes the answer is in neither set, but its nodes are
 * listed.
 */
export function readDump(text: string): ReadonlyMap<string, readonly string[]> {
  const [tracked = '', rest = ''] = text.split(EPHEMERALS);
  const [owned = ''] = rest.split(CONNECTIONS);
  const sessions = new Map<string, string[]>();
  for (const [id] of tracked.matchAll(SESSION)) sessions.set(id.slice(2), []);

  let paths: string[] = [];
  for (const line of owned.split('\n')) {
    if (line.startsWith('0x')) sessions.set(line.slice(2).replace(':', ''), (paths = []));
    else if (line.startsWith('\t')) paths.push(line.trim());
  }
  return sessions;
}
