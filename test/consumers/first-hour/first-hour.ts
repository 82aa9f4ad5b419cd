// npm run test:first-hour: follows README.md from an empty folder to three processes on ZooKeeper, of which one is
// killed and one drained, and on to the application of the production checklist. The package is packed from this
// workspace.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBlocks } from '../../docs/blocks/blocks.js';
import { FOLLOWED_PAGES } from '../../docs/readme/pages.js';
import { startZooKeeper } from '@test/support/zookeeper/zookeeper-server.js';
import { packLibrary } from '../pack.js';
import { Reader } from './reader.js';
import { sightsOf } from './sights.js';

const WORKSPACE = fileURLToPath(new URL('../../../', import.meta.url));
const LIMIT_MS = 600_000;

const folder = await mkdtemp(join(tmpdir(), 'first-hour-'));
const tarball = await packLibrary(folder);
const zooKeeper = await startZooKeeper();
const began = performance.now();
const reader = await Reader.in(join(folder, 'empty'), { tarball, servers: zooKeeper.connect });
const limit = setTimeout(() => void reader.leave(), LIMIT_MS);
try {
  const sights = sightsOf(reader);
  for (const page of FOLLOWED_PAGES) {
    const blocks = readBlocks(page, await readFile(join(WORKSPACE, page), 'utf8'));
    for (const block of blocks) await reader.follow(block, sights);
  }
  reader.assertSeen(sights);
  console.log(`\nDone in ${Math.round((performance.now() - began) / 1_000)} s.`);
} finally {
  clearTimeout(limit);
  await reader.leave();
  await zooKeeper.stop();
  await rm(folder, { recursive: true });
}
