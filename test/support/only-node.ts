// Set-up of the project `unit` in vitest.config.ts: its specs need no more than Node. It runs for each spec of a
// thread, and is undone at the end of the spec.
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

const undo = [forbidProcesses(), ...forbidStrangers()];
afterAll(() => {
  for (const restore of undo.toReversed()) restore();
  const all = deeds.splice(0);
  if (all.length > 0) throw new Error(`It ${all.join(', ')}. List the spec in REAL of vitest.config.ts.`);
});

function refuse(deed: string): never {
  deeds.push(deed);
  throw new Error(`A spec of the project "unit" ${deed}. List it in REAL of vitest.config.ts.`);
}

/** @returns a function that allows them again */
function forbidProcesses(): () => void {
  const former = STARTS.map((name) => [name, childProcess[name]]);
  const forbidden = STARTS.map((name) => [name, (command: unknown) => refuse(`starts a process, ${String(command)}`)]);
  const set = (functions: readonly unknown[][]): void => {
    Object.assign(childProcess, Object.fromEntries(functions));
    syncBuiltinESMExports();
  };
  set(forbidden);
  return () => set(former);
}

/** A spec may connect to servers of its own process. @returns functions that allow the others again */
function forbidStrangers(): (() => void)[] {
  const offListen = before(Server.prototype, 'listen', (server) => {
    servers.add(server);
    server.once('listening', () => opened.add(placeOf([server.address()]))).once('close', () => servers.delete(server));
  });
  const offConnect = before(Socket.prototype, 'connect', (_socket, args) => {
    const place = placeOf(args);
    // A server that is about to listen has its address before it emits so.
    const isOwn = opened.has(place) || [...servers].some((server) => placeOf([server.address()]) === place);
    if (!isOwn) refuse(`connects to ${place}`);
  });
  return [offListen, offConnect];
}

/** Has `hook` called before a method. @returns a function that ends this */
function before<T extends object>(
  prototype: T,
  name: string,
  hook: (self: T, args: readonly unknown[]) => void,
): () => void {
  const method: unknown = Reflect.get(prototype, name);
  if (typeof method !== 'function') throw new Error(`There is no method ${name}.`);
  Reflect.set(prototype, name, function (this: T, ...args: readonly unknown[]): unknown {
    hook(this, args);
    return Reflect.apply(method, this, args);
  });
  return () => void Reflect.set(prototype, name, method);
}

/** Port or path of an address, as `connect` takes it. Node calls that with all of its arguments in one array. */
function placeOf([first]: readonly unknown[]): string {
  if (Array.isArray(first)) return placeOf(first);
  if (typeof first !== 'object' || first === null) return String(first);
  const { port, path }: { readonly port?: unknown; readonly path?: unknown } = first;
  return String(port ?? path);
}
