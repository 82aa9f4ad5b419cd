import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Clock } from '../clock/index.js';
import { UnknownJobError } from '../domain/index.js';
import { InvalidArgumentError } from './operations.errors.js';
import type { DumpOptions, JobOperateApi } from './job-operate.api.js';

const COMMAND = /^dump@([^@]+)$/;
const LONGEST_LINE = 1_024;
/** For the command to come and the answer to be taken, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;
/** So many are answered at once; who comes then is cut off. */
const MOST_SOCKETS = 10;

export interface DumpServerOptions extends DumpOptions {
  /** 0: one that is free. */
  readonly port: number;
  /**
   * The address to listen at. Nobody is asked who they are, so let it be one that only operators reach.
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

export interface DumpServer {
  /** The port it listens at. */
  readonly port: number;
  /** Ends it and what is under way. */
  close(): Promise<void>;
}

/**
 * Answers `dump@{job}` and a line feed with the job's dump, as Java's dump service does: `echo dump@settle-orders | nc
 * localhost 9888`, but for secrets, and at most 5 MB of it. It serves 10 clients at once. What is no such line is not
 * answered; of a job that is not there, the dump is one empty line.
 * @throws the system's error if the port cannot be had
 * @see ElasticJob, `SnapshotService`
 */
export async function startDumpServer(
  operations: JobOperateApi,
  clock: Clock,
  { port, host = '127.0.0.1', ...options }: DumpServerOptions,
): Promise<DumpServer> {
  const sockets = new Set<Socket>();
  // A client may end its side when it has asked.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const deadline = clock.setTimer(LONGEST_WAIT_MS, () => socket.destroy());
    socket.on('error', () => {}); // It is closed then.
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
  let text = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('\n')) break;
    if (text.length > LONGEST_LINE) return '';
  }
  return text.split(/\r?\n/, 1)[0]!;
}
