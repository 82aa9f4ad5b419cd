import { expect, it } from 'vitest';
import { readDump } from './dump.js';

it('reads each session with its ephemeral nodes, also sessions without any', () => {
  const text = `SessionTracker dump:
Session Sets (2)/(2):
0 expire at Sun Nov 22 07:06:48 UTC 2026:
2 expire at Sun Nov 22 07:06:50 UTC 2026:
\t0x1000a
\t0x1000b
ephemeral nodes dump:
Sessions with Ephemerals (1):
0x1000a:
\t/jobs/n1
\t/jobs/n2
Connections dump:
Connections Sets (1)/(1):
1 expire at Sun Nov 22 07:06:50 UTC 2026:
\tip: /127.0.0.1:56804 sessionId: 0x1000c
`;
  expect(readDump(text)).toEqual(
    new Map([
      ['1000a', ['/jobs/n1', '/jobs/n2']],
      ['1000b', []],
    ]),
  );
});

it('reads a session that is moved to another expiry time while the server answers', () => {
  const text = `SessionTracker dump:
Session Sets (1)/(1):
0 expire at Sun Nov 22 07:06:48 UTC 2026:
ephemeral nodes dump:
Sessions with Ephemerals (1):
0x1000a:
\t/jobs/n1
Connections dump:
Connections Sets (0)/(0):
`;
  expect(readDump(text)).toEqual(new Map([['1000a', ['/jobs/n1']]]));
});
