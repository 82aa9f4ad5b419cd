/** Fits one request of a client, with its path. */
const MEGABYTE = 999_000;

/** Repeats a text as often as fits into a node. */
function filled(piece: string, before = '', after = '', bytes = MEGABYTE): string {
  const room = bytes - Buffer.byteLength(before + after);
  return before + piece.repeat(Math.floor(room / Buffer.byteLength(piece))) + after;
}

/** Texts that an attacker may write into any node, by their fault. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'a long word': filled('x'),
  'blanks before the end of a line': filled(' ', 'labels: a', 'x'),
  '90 KB of blanks': filled(' ', 'serverIp: a', 'x', 90_000),
  'blank lines': filled('\n', 'labels: ', 'x'),
  'characters of three bytes': filled('作'),
  'open brackets': filled('['),
  'open braces': filled('{"a":'),
  'a large object of JSON': `{${Array.from({ length: 18_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
  'a record with much beside it': JSON.stringify({
    v: 1,
    run: 'r',
    by: 'b',
    target: { fireTime: 1, origin: 'schedule' },
    x: 'x'.repeat(250_000),
  }),
  'flow pairs of YAML': filled('b: c,', 'a: [', ']', 262_000),
  'aliases of YAML': filled('*a,', 'a: &a b\nc: [', ']', 262_000),
};
