import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { freePort } from '@test/support/zookeeper/loopback.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashToken } from '@app/elastic-job/console';
import { inWorkspace, installLibrary } from '../nest/built/build-library.js';
import { readBlocks } from './blocks/blocks.js';
import { COMPILER_OPTIONS } from './blocks/samples.js';
import { Program } from './readme/program.js';

const zooKeeper = await sharedZooKeeper();

/** Lies below the workspace, so that packages are found, but where no tool looks for sources. */
const FOLDER = `dist/console-${process.pid}`;
const LIMIT_MS = 120_000;
const blocks = readBlocks('docs/operate/console.md');
const textOf = (section: string, language: string) =>
  blocks.find((block) => block.section === section && block.language === language)!.text;

/** Runs commands in the folder. @returns the lines that they print */
async function sh(text: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const options = { cwd: inWorkspace(FOLDER), env: { ...process.env, ...env } };
  const { stdout } = await promisify(execFile)('bash', ['-euc', text], options);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the page of the console, with the packed library in an empty application', () => {
  beforeAll(async () => {
    await mkdir(inWorkspace(FOLDER), { recursive: true });
    for (const [file, module] of [
      ['main.mjs', 'es2022'],
      ['main.cjs', 'commonjs'],
    ]) {
      const { options } = ts.convertCompilerOptionsFromJson({ ...COMPILER_OPTIONS, module }, '.');
      const { outputText } = ts.transpileModule(textOf('Serve it', 'ts'), { compilerOptions: options });
      await writeFile(inWorkspace(`${FOLDER}/${file}`), outputText);
    }
    await installLibrary([FOLDER]);
  }, LIMIT_MS);
  afterAll(() => rm(inWorkspace(FOLDER), { recursive: true }));

  it.each([
    ['an ES module', 'main.mjs'],
    ['CommonJS', 'main.cjs'],
  ])('as %s serves its API, lets in who has the printed password, and ends', { timeout: LIMIT_MS }, async (_, file) => {
    const port = String(await freePort());
    const env = { ZOOKEEPER_SERVERS: zooKeeper, PORT: port };
    const app = new Program(process.execPath, [file], { cwd: inWorkspace(FOLDER), env });
    onTestFinished(() => app.kill());
    const [, password = ''] = await app.says(/log in from this host as "admin" with (\S+) until/);
    await app.says(/application successfully started/);
    const commands = textOf('Without `auth`', 'sh')
      .replace('read -rs PASSWORD', `PASSWORD='${password}'`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      // Each answer is a line.
      .replaceAll('curl ', String.raw`curl -w '\n' `);

    const answers: unknown[] = (await sh(commands)).map((line) => JSON.parse(line));

    expect(answers).toEqual([
      expect.objectContaining({ name: 'admin', role: 'admin', by: 'page' }),
      expect.objectContaining({ registry: { state: 'CONNECTED', namespace: 'reports' } }),
    ]);
    expect(await app.end('SIGTERM')).toBe('SIGTERM');
  });

  it('makes texts of passwords and tokens by its one-liners', { timeout: LIMIT_MS }, async () => {
    const commands = textOf('Users and tokens', 'sh').replace('read -rs PASSWORD', "PASSWORD='correct horse battery'");

    const [scrypt, ...made] = await sh(commands);

    expect(scrypt).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    const [, token = '', sha256] = /token: '(ejc_[\w-]{43})',\s+sha256: '([0-9a-f]{64})'/.exec(made.join('\n')) ?? [];
    expect(hashToken(token)).toBe(sha256);
  });
});
