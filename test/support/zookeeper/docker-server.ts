import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGuarded, type GuardedProcess } from './guarded-process.js';

const IMAGE = 'zookeeper:3.8';
const PROBE_LIMIT_MS = 5_000;

/** True if a Docker engine runs that this process may use. */
export async function dockerRuns(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info'], { timeout: PROBE_LIMIT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Starts the official image with the settings of the local server. */
export async function startDockerServer(port: number): Promise<GuardedProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'zookeeper-'));
  const name = `nestjs-elastic-job-${process.pid}-${port}`;
  const settings = {
    ZOO_TICK_TIME: '300',
    ZOO_MAX_CLIENT_CNXNS: '0',
    ZOO_ADMINSERVER_ENABLED: 'false',
    ZOO_4LW_COMMANDS_WHITELIST: '*',
    ZOO_CFG_EXTRA: 'minSessionTimeout=500 maxSessionTimeout=60000 extendedTypesEnabled=true',
  };
  const variables = Object.entries(settings).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  return startGuarded(
    ['docker', 'run', '--rm', '--name', name, '-p', `127.0.0.1:${port}:2181`, ...variables, IMAGE],
    directory,
    { kill: `docker rm -f ${name}` },
  );
}
