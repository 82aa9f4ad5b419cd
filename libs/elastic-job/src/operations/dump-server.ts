import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { inPackageContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import { type OptionRow, OptionTable, text, UnknownJobError, wholeNumber } from '../domain/index.js';
import { DUMP, type DumpOptions } from './command-arguments.js';
import { InvalidArgumentError } from './operations.errors.js';
import type { JobOperateApi } from './job-operate.api.js';

const COMMAND = /^dump@([^@]+)$/;
const LONGEST_LINE = 1_024;
/** Longest time of one request and its answer, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;
/** Most clients at a time; further ones are cut off. */
const MOST_SOCKETS = 10;

export interface DumpServerOptions extends DumpOptions {
  /** 0: any free port. */
  readonly port: number;
  /**
   * The address to listen at. There is no authentication, so use an address that only operators can reach.
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

const SERVER = {
  ...DUMP,
  port: { required: true, rule: wholeNumber({ from: 0, to: 65_535 }) },
  host: { rule: text() },
} as const satisfies Readonly<Record<keyof DumpServerOptions, OptionRow>>;
const SERVER_TABLE = new OptionTable(SERVER, 'the dump server');

export interface DumpServer {
  /** The port it listens at. */
  readonly port: number;
  /** Closes the server and its open connections. */
  close(): Promise<void>;
}

/**
 * Answers `dump@{job}` and a line feed with the job's dump, as Java's dump service does:
 * `echo dump@settle-orders | nc localhost 9888`. Unlike Java it hides secrets, and sends at most 5 MB. It serves 10
 * clients at once. Other lines get no answer; the dump of an unknown job is one empty line.
 * @throws {ConfigurationError} for wrong and unknown options
 * @throws the system's error if the port is not available
 * @see ElasticJob, `SnapshotService`
 */
export function startDumpServer(
  operations: JobOperateApi,
  clock: Clock,
  input: DumpServerOptions,
): Promise<DumpServer> {
  return inPackageContext(() => start(operations, clock, input));
}

async function start(operations: JobOperateApi, clock: Clock, input: DumpServerOptions): Promise<DumpServer> {
  const { port, host = '127.0.0.1', ...options } = SERVER_TABLE.checked('startDumpServer', input);
  const sockets = new Set<Socket>();
  // A client may close its side after the request.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const deadline = clock.setTimer(LONGEST_WAIT_MS, () => socket.destroy());
    socket.on('error', () => {}); // The connection is closed then.
    socket.on('close', () => {
      deadline.cancel();
      sockets.delete(socket);
    });
    answer(socket, operations, options).catch(() => socket.destroy());
  });
  server.maxConnections = MOST_SOCKETS;
  await listen(server, port, host);
  return {
    // oxlint-disable-next-line no-unsafe-type-assertion -- a server that listens at a port has one
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function answer(socket: Socket, operations: JobOperateApi, options: DumpOptions): Promise<void> {
  const [, jobName] = COMMAND.exec(await readLine(socket)) ?? [];
  socket.end(jobName === undefined ? '' : await dumpOf(jobName, operations, options));
}

async function dumpOf(jobName: string, operations: JobOperateApi, options: DumpOptions): Promise<string> {
  try {
    return await operations.dump(jobName, options);
  } catch (error) {
    if (error instanceof UnknownJobError || error instanceof InvalidArgumentError) return '\n';
    throw error;
  }
}

/** @returns an empty text if the line is longer than any command */
async function readLine(socket: Socket): Promise<string> {
  let line = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    line += String(chunk);
    if (line.includes('\n')) break;
    if (line.length > LONGEST_LINE) return '';
  }
  return line.split(/\r?\n/, 1)[0]!;
}
