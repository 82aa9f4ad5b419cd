// npm run weigh, after a build: the weight that the package adds to a Nest application without its optional packages,
// in megabytes installed and milliseconds of import. Fails if one exceeds its limit.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = resolve('libs/elastic-job');
const MEGABYTE = 1_000_000;
const MOST_MEGABYTES = 15;
const MOST_MS = 150;
/** On a slow machine the limit is the import time of a similar library, plus this. */
const MORE_THAN_OTHER_MS = 50;
const TIMES = 9;
/** Packages that a Nest application has in any case. Its `ValidationPipe` needs class-validator. */
const APPLICATION = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}`);
const BESIDES = ['reflect-metadata', 'rxjs', 'class-validator'];
const OTHER = '@nestjs/bullmq';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'weigh-'));
try {
  const megabytes = await addedMegabytes();
  console.log(`installed: ${megabytes.toFixed(1)} MB, of ${MOST_MEGABYTES}`);
  await install(OTHER, 'bullmq');
  const [ms, otherMs] = await importMs('nestjs-elastic-job', OTHER);
  const mostMs = Math.max(MOST_MS, otherMs + MORE_THAN_OTHER_MS);
  console.log(
    `imported after Nest: ${ms.toFixed(0)} ms, of ${mostMs.toFixed(0)}; ${OTHER}: ${otherMs.toFixed(0)} ms ` +
      `(medians of ${TIMES}, in turns)`,
  );
  process.exitCode = megabytes <= MOST_MEGABYTES && ms <= mostMs ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

async function addedMegabytes(): Promise<number> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const [{ filename }]: readonly [{ readonly filename: string }] = JSON.parse(stdout);
  await install(...(await withVersions([...APPLICATION, ...BESIDES])));
  const before = await bytesOf(join(folder, 'node_modules'));
  await install(join(folder, filename));
  return ((await bytesOf(join(folder, 'node_modules'))) - before) / MEGABYTE;
}

/** In the versions of the workspace. */
async function withVersions(names: readonly string[]): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => {
      const { version }: { readonly version: string } = JSON.parse(
        await readFile(join('node_modules', name, 'package.json'), 'utf8'),
      );
      return `${name}@${version}`;
    }),
  );
}

async function install(...packages: readonly string[]): Promise<void> {
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
}

async function bytesOf(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The medians of several processes, in turns, so that other work of the machine slows down both. */
async function importMs(one: string, other: string): Promise<readonly [number, number]> {
  const measured: [number, number][] = [];
  for (let time = 0; time < TIMES; time++) measured.push([await importOnce(one), await importOnce(other)]);
  const median = (which: 0 | 1) =>
    measured.map((pair) => pair[which]).toSorted((a, b) => a - b)[Math.floor(TIMES / 2)]!;
  return [median(0), median(1)];
}

async function importOnce(name: string): Promise<number> {
  const script = `import 'reflect-metadata';
    import '@nestjs/common';
    import '@nestjs/core';
    const since = performance.now();
    await import('${name}');
    console.log(performance.now() - since);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
  return Number(stdout);
}
