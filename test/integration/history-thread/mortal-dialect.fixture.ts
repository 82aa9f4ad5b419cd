// A `dialectModule` whose thread dies or hangs when it writes a run of a job of that name. Its database is
// `?sqlite=PATH`.
import { existsSync, writeFileSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';
import { type Dialect, SqliteDialect } from 'kysely';
import Libsql from 'libsql';

const path = new URL(import.meta.url).searchParams.get('sqlite') ?? '';
const channel = new BroadcastChannel(path);
Object.assign(channel, { onmessage: () => process.exit(3) });
channel.unref();

export function createDialect(): Dialect {
  const real = new Libsql(path);
  const prepare = (text: string) => {
    const statement = real.prepare(text);
    const act = (parameters: readonly unknown[]) => {
      if (text.includes('JOB_EXECUTION_LOG') && parameters.includes('dies')) process.exit(3);
      if (parameters.includes('dies-once') && isFirst()) process.exit(3);
      if (parameters.includes('hangs')) hang();
    };
    const { reader } = statement;
    const all = (parameters: unknown[]) => statement.all(parameters);
    const run = (parameters: unknown[]) => {
      act(parameters);
      return statement.run(parameters);
    };
    return { reader, all, run, iterate: () => [][Symbol.iterator]() };
  };
  const close = () => {
    real.close();
    writeFileSync(`${path}.closed`, '');
  };
  return new SqliteDialect({ database: { prepare, close } });
}

function hang(): void {
  writeFileSync(`${path}.hangs`, '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function isFirst(): boolean {
  const marker = `${path}.died`;
  if (existsSync(marker)) return false;
  writeFileSync(marker, '');
  return true;
}
