import { describe, expect, it } from 'vitest';
import { type Watcher, Watches } from './watches.js';

const CREATED = 1;

describe('who watches what', () => {
  it('notifies the watchers above and at the path of an event, and none beside or below it', () => {
    const watches = new Watches();
    const heard: string[] = [];
    for (const path of ['/', '/a', '/a/b', '/a/b/c', '/ab']) watches.add(path, recorder(path, heard));
    watches.dispatch(CREATED, '/a/b');
    expect(heard.toSorted()).toEqual(['/ created /a/b', '/a created /a/b', '/a/b created /a/b']);
  });

  it('notifies each watcher above a path once, however others come and go', () => {
    const watches = new Watches();
    const paths = ['/', '/a', '/a/b', '/a/b/c', '/ab', '/b/c/d'];
    for (const away of [undefined, ...paths]) {
      const heard: string[] = [];
      const added = paths.map((path) => [path, recorder(path, heard)] as const);
      for (const [path, watcher] of added) watches.add(path, watcher);
      for (const [path, watcher] of added) if (path === away) watches.remove(path, watcher);
      for (const at of ['/', '/a', '/ab', '/a/b/c/d', '/b/c']) {
        heard.length = 0;
        watches.dispatch(CREATED, at);
        const above = paths.filter((path) => path !== away && (path === '/' || `${at}/`.startsWith(`${path}/`)));
        expect(heard.toSorted()).toEqual(above.map((path) => `${path} created ${at}`).toSorted());
      }
      for (const [path, watcher] of added) watches.remove(path, watcher);
    }
  });

  it('notifies nobody of an event of an unknown kind', () => {
    const watches = new Watches();
    const heard: string[] = [];
    watches.add('/', recorder('/', heard));
    for (const type of [0, 5, -1, 992_477_184]) watches.dispatch(type, '/a');
    expect(heard).toEqual([]);
  });

  it('leaves a path unwatched only once its last watcher leaves', () => {
    const watches = new Watches();
    const [one, two] = [recorder('one', []), recorder('two', [])];
    watches.add('/a', one);
    watches.add('/a', two);
    expect([watches.remove('/a', one), watches.remove('/a', one), watches.remove('/a', two)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(watches.pieces()).toEqual([]);
  });

  it('puts each of 10,000 long paths into one piece of at most 128 KiB to set them again', () => {
    const watches = new Watches();
    const paths = Array.from({ length: 10_000 }, (_, n) => `/${'long'.repeat(40)}/${n}`);
    for (const path of paths) watches.add(path, recorder(path, []));
    const pieces = watches.pieces();
    expect(pieces.flatMap(({ recursive }) => recursive)).toEqual(paths);
    expect(Math.max(...pieces.map(({ recursive }) => Buffer.byteLength(recursive.join('1234'))))).toBeLessThanOrEqual(
      128 * 1024,
    );
    expect(pieces.length).toBeLessThan(20);
  });

  it('forgets all watchers of a lost session, even if one of them leaves by itself meanwhile', () => {
    const watches = new Watches();
    const lost: string[] = [];
    const leaver: Watcher = { ...recorder('leaver', lost), lost: () => void watches.remove('/a', leaver) };
    watches.add('/a', leaver);
    watches.add('/b', { ...recorder('stayer', lost), lost: () => lost.push('stayer') });
    watches.lose();
    expect(lost).toEqual(['stayer']);
    expect(watches.pieces()).toEqual([]);
  });
});

const nothing = () => {};

function recorder(name: string, heard: string[]): Watcher {
  return {
    isRecursive: true,
    receive: (kind, path) => heard.push(`${name} ${kind} ${path}`),
    receiveOwn: (kind, path) => heard.push(`${name} did ${kind} ${path}`),
    wrote: nothing,
    reconnected: nothing,
    lost: nothing,
  };
}
