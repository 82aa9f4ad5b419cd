// Set-up of the project `unit` in vitest.config.ts: its specs need no more than Node.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import { afterAll } from 'vitest';

const STARTS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;

/** Refused deeds of the spec that runs. It may have caught their errors, so they are reported at its end as well. */
const deeds: string[] = [];
const servers = new Set<Server>();
/** Ports and paths of servers that this process has opened. A spec may find one closed. */
const opened = new Set<string>();

forbidProcesses();
forbidStrangers();
afterAll(() => {
  const all = deeds.splice(0);
  if (all.length > 0) throw new Error(`It ${all.join(', ')}. List the spec in REAL of vitest.config.ts.`);
});

function refuse(deed: string): never {
  deeds.push(deed);
  throw new Error(`A spec of the project "unit" ${deed}. List it in REAL of vitest.config.ts.`);
}

function forbidProcesses(): void {
  const forbidden = STARTS.map((name) => [name, (command: unknown) => refuse(`starts a process, ${String(command)}`)]);
  Object.assign(childProcess, Object.fromEntries(forbidden));
  syncBuiltinESMExports();
}

/** A spec may connect to servers of its own process. */
function forbidStrangers(): void {
  before(Server.prototype, 'listen', (server) => {
    servers.add(server);
    server.once('listening', () => opened.add(placeOf([server.address()]))).once('close', () => servers.delete(server));
  });
  before(Socket.prototype, 'connect', (_socket, args) => {
    const place = placeOf(args);
    // A server that is about to listen has its address before it emits so.
    const isOwn = opened.has(place) || [...servers].some((server) => placeOf([server.address()]) === place);
    if (!isOwn) refuse(`connects to ${place}`);
  });
}

/** Has `hook` called before a method. */
function before<T extends object>(prototype: T, name: string, hook: (self: T, args: readonly unknown[]) => void): void {
  const method: unknown = Reflect.get(prototype, name);
  if (typeof method !== 'function') throw new Error(`There is no method ${name}.`);
  Reflect.set(prototype, name, function (this: T, ...args: readonly unknown[]): unknown {
    hook(this, args);
    return Reflect.apply(method, this, args);
  });
}

/** Port or path of an address, as `connect` takes it. Node calls that with all of its arguments in one array. */
function placeOf([first]: readonly unknown[]): string {
  if (Array.isArray(first)) return placeOf(first);
  if (typeof first !== 'object' || first === null) return String(first);
  const { port, path }: { readonly port?: unknown; readonly path?: unknown } = first;
  return String(port ?? path);
}
