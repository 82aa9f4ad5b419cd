import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerSettings } from './server-command.js';

const run = promisify(execFile);

/** Options of a client for `node:tls`, in PEM. */
export interface TlsClientMaterial {
  /** The authority that has signed the server's certificate. */
  readonly ca: string;
  /** A certificate of the same authority for the client, which a server with `clientAuth: 'need'` asks for. */
  readonly cert: string;
  readonly key: string;
}

export interface TlsOptions {
  /** Tells if clients must show a certificate. */
  readonly clientAuth: 'none' | 'need';
}

/**
 * Makes an authority of its own, and with it the certificates of a server on 127.0.0.1 and of a client.
 * @returns the server's settings, and those of clients
 */
export async function makeTlsMaterial(
  directory: string,
  { clientAuth }: TlsOptions,
): Promise<{ readonly settings: ServerSettings; readonly client: TlsClientMaterial }> {
  const authority = await issue(directory, 'authority');
  const [server, client] = await Promise.all([
    issue(directory, 'server', authority),
    issue(directory, 'client', authority),
  ]);
  const keyStore = join(directory, 'server-store.pem');
  await writeFile(keyStore, (await readFile(server.key, 'utf8')) + (await readFile(server.cert, 'utf8')));
  const settings = {
    serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    secureClientPortAddress: '127.0.0.1',
    'ssl.keyStore.location': keyStore,
    'ssl.keyStore.type': 'PEM',
    'ssl.trustStore.location': authority.cert,
    'ssl.trustStore.type': 'PEM',
    'ssl.clientAuth': clientAuth,
  };
  const [ca, cert, key] = await Promise.all(
    [authority.cert, client.cert, client.key].map((path) => readFile(path, 'utf8')),
  );
  return { settings, client: { ca: ca!, cert: cert!, key: key! } };
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Issues a certificate, which is self-signed without a signer. @returns the paths of the files */
async function issue(directory: string, name: string, signer?: Certificate): Promise<Certificate> {
  const cert = join(directory, `${name}.pem`);
  const key = join(directory, `${name}.key`);
  const signing = signer ? ['-CA', signer.cert, '-CAkey', signer.key] : [];
  const extension = signer
    ? ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-addext', 'basicConstraints=critical,CA:FALSE']
    : ['-addext', 'basicConstraints=critical,CA:TRUE'];
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', `/CN=${name}`];
  await run('openssl', [...request, '-keyout', key, '-out', cert, ...signing, ...extension]);
  return { cert, key };
}
