import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './zookeeper/loopback.js';

const SETUP = join(process.cwd(), 'test/support/only-node.ts');
const VITEST = join(process.cwd(), 'node_modules/vitest/vitest.mjs');
const CACHE = 'node_modules/.cache/only-node-';

/** Lies below the workspace, so that vitest is found. */
let folder: string;
beforeEach(() => {
  mkdirSync('node_modules/.cache', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), CACHE));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Runs a spec of the project `unit`.
 * @param copies number of specs with this text, which one thread runs
 * @returns their result and their output
 */
function run(text: string, copies = 1): Promise<{ readonly isGreen: boolean; readonly output: string }> {
  const oneThread = { pool: 'threads', isolate: false, maxWorkers: 1 };
  const config = { test: { ...oneThread, exclude: [], include: ['*.spec.js'], setupFiles: [SETUP] } };
  writeFileSync(join(folder, 'vitest.config.js'), `export default ${JSON.stringify(config)};`);
  for (const name of 'abcdefghijklm'.slice(0, copies)) {
    writeFileSync(join(folder, `${name}.spec.js`), `import { it } from 'vitest';\n${text}`);
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [VITEST, 'run'],
      { cwd: folder, env: { ...process.env, NO_COLOR: '1' } },
      (error, out, err) => resolve({ isGreen: error === null, output: out + err }),
    );
  });
}

describe('a spec of the project unit', () => {
  it.each([
    ["import { spawnSync } from 'node:child_process';", "spawnSync('ls');"],
    ["import child from 'node:child_process';", "child.fork('program.js');"],
    ["const { execFile } = require('node:child_process');", "execFile('ls');"],
  ])('fails by its name if it starts a process (%s)', async (imports, deed) => {
    const header = imports.includes('require')
      ? "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
      : '';
    const { isGreen, output } = await run(`${header}${imports} it('does', () => { ${deed} });`);
    expect(isGreen).toBe(false);
    expect(output).toMatch(/FAIL\s+a\.spec\.js/);
    expect(output).toMatch(/starts a process, (ls|program\.js)/);
  });

  it('fails also if it catches the error', async () => {
    const deed = "import { spawn } from 'node:child_process'; it('does', () => { try { spawn('ls'); } catch {} });";
    expect((await run(deed)).output).toContain('It starts a process, ls. List the spec in REAL');
  });

  it.each([
    ['net', "import { connect } from 'node:net';", 'connect(PORT).on("error", () => {});'],
    ['http', "import { get } from 'node:http';", 'get("http://127.0.0.1:PORT").on("error", () => {});'],
    ['fetch', '', 'await fetch("http://127.0.0.1:PORT").catch(() => {});'],
  ])('fails if it connects to a server that it has not opened, by %s', async (_, imports, deed) => {
    const port = await freePort();
    const { isGreen, output } = await run(
      `${imports} it('does', async () => { ${deed.replace('PORT', String(port))} });`,
    );
    expect(isGreen).toBe(false);
    expect(output).toContain(`connects to ${port}`);
  });

  it('is watched once, however many specs its thread has run', async () => {
    const { isGreen, output } = await run(
      `import { createServer } from 'node:net';
      it('does', async () => {
        const server = createServer();
        await new Promise((listening) => server.listen(0, listening));
        await new Promise((closed) => server.close(closed));
      });`,
      13,
    );
    expect(output).toContain('13 passed');
    expect(output).not.toContain('MaxListenersExceededWarning');
    expect(isGreen).toBe(true);
  });

  it('may connect to its own servers, also before they listen and after they have closed', async () => {
    const { isGreen, output } = await run(`
      import { once } from 'node:events';
      import { createServer, get } from 'node:http';
      it('does', async () => {
        const server = createServer((_, response) => response.end());
        const { port } = server.listen(0).address();
        const [response] = await once(get({ port, agent: false }), 'response');
        response.resume();
        await once(response, 'end');
        await new Promise((closed) => server.close(closed));
        const [error] = await once(get({ port, agent: false }), 'error');
        if (error.code !== 'ECONNREFUSED') throw error;
      });`);
    expect(output).toContain('1 passed');
    expect(isGreen).toBe(true);
  });
});
