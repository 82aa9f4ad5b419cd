import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second. */
const TICKS = 100;

interface Counted {
  readonly pid: number;
  readonly parent: number;
  readonly ms: number;
}

/**
 * Processor time, in milliseconds, of this process, and of the database's server if it is on this host: it is the
 * process that was told the port, and the processes that it starts for its clients. Steps are of 10 ms.
 */
export function processorTime(port: number | undefined): number {
  const { system, user } = process.cpuUsage();
  const own = (user + system) / 1_000;
  if (port === undefined) return own;
  const all = processes();
  const servers = new Set(all.filter(({ pid }) => isServer(pid, port)).map(({ pid }) => pid));
  const theirs = all.filter(({ parent, pid }) => servers.has(pid) || servers.has(parent));
  return own + theirs.reduce((sum, { ms }) => sum + ms, 0);
}

function processes(): Counted[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const text = read(`/proc/${name}/stat`);
    // The name of a process, in brackets, may have blanks.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system] = [1, 11, 12].map((index) => Number(fields[index]));
    return text === '' ? [] : [{ pid: Number(name), parent: parent!, ms: ((user! + system!) * 1_000) / TICKS }];
  });
}

function isServer(pid: number, port: number): boolean {
  const [program = '', ...told] = read(`/proc/${pid}/cmdline`).split('\0');
  return /\/(?:postgres|mariadbd|mysqld)$/.test(program) && told.some((text) => text.endsWith(String(port)));
}

/** An empty text if the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
