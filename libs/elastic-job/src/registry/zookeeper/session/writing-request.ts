import type { RegistryNode } from '../../registry-center.js';
import type { Request } from '../wire/index.js';
import type { Watcher, Watches } from './watches.js';

/**
 * A write that tells the watchers of its nodes when it is sent and when it is answered. An event of such a node in
 * between needs no read: the server sends a write's events right before its answer, so the answer shows the current
 * content.
 *
 * @param paths the server's paths that the write names
 * @param contents nodes that the write has left, by the server's paths, as its answer shows
 */
export function writingRequest<T>(
  watches: Watches,
  paths: readonly string[],
  request: Request<T>,
  contents: (value: T) => readonly RegistryNode[],
): Request<T> {
  const concerned: { readonly watcher: Watcher; readonly path: string }[] = [];
  for (const path of paths) for (const watcher of watches.of(path)) concerned.push({ watcher, path });
  if (concerned.length === 0) return request;
  return {
    opCode: request.opCode,
    payload: request.payload,
    read: request.read,
    sending() {
      for (const { watcher, path } of concerned) watcher.writing(path);
    },
    answered(answer) {
      if (answer.kind === 'ok') {
        for (const node of contents(answer.value)) for (const watcher of watches.of(node.path)) watcher.wrote(node);
      }
      for (const { watcher, path } of concerned) watcher.written(path);
    },
  };
}
