import { connect } from 'node:net';

const LIMIT_MS = 1_000;

/**
 * Asks the server on a loopback port one of its four letter words.
 * @param word such as `srvr`, `cons`, `dump`, `wchs`
 * @throws if there is no answer within the limit, in milliseconds: a server that starts or is stopped accepts the
 * connection and stays silent
 */
export function fourLetter(port: number, word: string, limitMs = LIMIT_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(word));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    const timer = setTimeout(() => socket.destroy(new Error(`No answer to "${word}" in ${limitMs} ms.`)), limitMs);
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}
