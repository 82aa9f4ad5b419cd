import type { RegistryNode } from '../../registry-center.js';
import type { Request } from '../wire/index.js';
import type { Watcher, Watches } from './watches.js';

/**
 * A write that tells the watchers of its nodes when it is sent and when it is answered. An event of such a node in
 * between needs no read: the server sends a write's events right before its answer, so the answer shows the current
 * content.
 *
 * @param writes paths of the nodes that the write names: the server's, and the port's at the same place
 * @param contents nodes that the write has left, as its answer shows, by the port's path that the write names
 */
export function writingRequest<T>(
  watches: Watches,
  writes: { readonly absolutePaths: readonly string[]; readonly paths: readonly string[] },
  request: Request<T>,
  contents: (value: T) => ReadonlyMap<string, RegistryNode>,
): Request<T> {
  const concerned: { readonly watcher: Watcher; readonly path: string }[] = [];
  let next = 0;
  for (const path of writes.paths) {
    for (const watcher of watches.of(writes.absolutePaths[next]!)) concerned.push({ watcher, path });
    next += 1;
  }
  if (concerned.length === 0) return request;
  return {
    opCode: request.opCode,
    payload: request.payload,
    read: request.read,
    sending() {
      for (const { watcher, path } of concerned) watcher.writing(path);
    },
    answered(answer) {
      const nodes = answer.kind === 'ok' ? contents(answer.value) : undefined;
      for (const { watcher, path } of concerned) {
        const node = nodes?.get(path);
        if (node !== undefined) watcher.wrote(node);
      }
      for (const { watcher, path } of concerned) watcher.written(path);
    },
  };
}
