import type { RegistryCenter } from './registry-center.js';

/** Methods of the port that answer later. `calm` asks nobody. */
type Asking = {
  [Name in keyof RegistryCenter]-?: RegistryCenter[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[Exclude<keyof RegistryCenter, 'calm'>];

const ASKS: Readonly<Record<Asking, true>> = {
  connect: true,
  close: true,
  read: true,
  readMany: true,
  exists: true,
  children: true,
  create: true,
  ensurePath: true,
  set: true,
  delete: true,
  transaction: true,
  openSubtree: true,
  watchChildren: true,
  serverTime: true,
};

/** Methods of the port that ask the registry. The others answer from memory, and are called often. */
export const ASKING: readonly string[] = Object.keys(ASKS);
