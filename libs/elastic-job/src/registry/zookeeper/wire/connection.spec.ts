import { bufferReply, emptyReply, startFakeServer } from '@test/support/faults/fake-server.js';
import { frame, int32, OP } from '@test/support/faults/frames.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { Hidden } from '../../../domain/index.js';
import { SessionLease } from '../../session-lease.js';
import { loadJute } from './client-library.js';
import { Connection } from './connection.js';
import { FrameWriter, type SessionTicket } from './frames.js';
import { Protocol } from './protocol.js';
import { digestMd5, readChallenge } from './sasl.js';

const CHALLENGE = 'realm="zk",nonce="n",qop="auth",algorithm=md5-sess,charset=utf-8';
const SASL = { username: 'shop', password: 'sasl-secret' };

describe('a digest beside SASL', () => {
  it('goes to no server that has not proved that it knows the password of SASL', async () => {
    const { opening, received } = await connectTo(() => 'rspauth=0123456789abcdef0123456789abcdef');

    expect(await opening).toMatchObject({ kind: 'failed', cause: { code: 'AUTHENTICATION' } });
    expect(received).toEqual([OP.sasl, OP.sasl]);
  });

  it('goes to a server that has proved it, before any request', async () => {
    const { opening, received, connection, protocol } = await connectTo((answer) => `rspauth=${proofOf(answer)}`);

    expect(await opening).toMatchObject({ kind: 'connected' });
    await connection.ask(protocol.exists('/'));
    expect(received).toEqual([OP.sasl, OP.sasl, OP.auth, OP.exists]);
  });
});

describe('a port that is no ZooKeeper', () => {
  it.each([
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'HTTP; '],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'SSH; '],
    ["-ERR unknown command '\0'\r\n", 'RESP, as Redis does; '],
    ['\u0015\u0003\u0003\0\u0002\u0002\u0050', 'TLS; give the option tls if it is the secureClientPort of ZooKeeper; '],
    ['220 mail.example.org ESMTP\r\n', 'another protocol; '],
  ])('is named with what it speaks, at its first reply: %j', async (answer, kind) => {
    const { opening, port } = await connectTo(String, { handshake: Buffer.from(answer, 'latin1') });

    expect(await opening).toMatchObject({
      kind: 'failed',
      cause: {
        message: `127.0.0.1:${port} is no ZooKeeper server: it speaks ${kind}servers takes client ports, usually 2181`,
      },
    });
  });
});

describe('a server that grants no session', () => {
  const NO_SESSION = frame(Buffer.concat([int32(0), int32(0), Buffer.alloc(8), int32(16), Buffer.alloc(17)]));

  it('has refused a new one, so that the next attempt waits as after any failed one', async () => {
    const { opening } = await connectTo(String, { handshake: NO_SESSION });

    expect(await opening).toMatchObject({ kind: 'failed', cause: { message: 'the server refused a new session' } });
  });

  it('has told that the session which was to be continued is over', async () => {
    const ticket = { id: '1', password: Buffer.alloc(16), timeoutMs: 10_000 };
    const { opening } = await connectTo(String, { handshake: NO_SESSION, ticket });

    expect(await opening).toEqual({ kind: 'expired' });
  });
});

interface Handshake {
  /** @default a session */
  readonly handshake?: Buffer;
  /** @default a new session */
  readonly ticket?: SessionTicket;
}

/** Connects with digest and SASL to a server whose last step of SASL is the given one. */
async function connectTo(lastStep: (answer: string) => string, { handshake, ticket }: Handshake = {}) {
  const received: number[] = [];
  const server = await startFakeServer({
    ...(handshake && { handshake }),
    reply: ({ xid, type }, payload) => {
      received.push(type);
      if (type !== OP.sasl) return emptyReply(xid, 0);
      const answer = payload.subarray(12).toString();
      return bufferReply(xid, answer === '' ? CHALLENGE : lastStep(answer));
    },
  });
  const clock = new SystemClock();
  const jute = loadJute();
  const protocol = new Protocol(jute, true);
  const options = {
    server: { host: '127.0.0.1', port: server.port },
    round: 0,
    credentials: new Hidden({ digest: 'shop:digest-secret', sasl: SASL, tls: undefined, requireTls: false }),
    sessionTimeoutMs: 10_000,
    serverTickMs: undefined,
    openTimeoutMs: 5_000,
    ticket,
    lastZxid: 0n,
  };
  const listener = { watched: () => {}, mayDeliver: () => true, dropped: () => {} };
  const connection = new Connection(protocol, new FrameWriter(jute), clock, new SessionLease(clock), options, listener);
  onTestFinished(async () => {
    connection.abandon();
    await server.stop();
  });
  return { opening: connection.open(), received, connection, protocol, port: server.port };
}

/** The proof that a server which knows the password gives to this answer. */
function proofOf(answer: string): string {
  const nonce = /cnonce="([^"]*)"/.exec(answer)![1]!;
  return digestMd5(SASL, readChallenge(CHALLENGE), 'zookeeper/zk-sasl-md5', nonce).proof;
}
