import { describe, expect, it } from 'vitest';
import { Hidden } from '../../domain/index.js';
import { NoAuthError } from '../registry.errors.js';
import { type AclEntry, idsOfDigest, loadJute, Protocol, ReplyReader } from './wire/index.js';
import { AclJudge, type Ask } from './acl-judge.js';
import { OP_CODE } from './wire/client-library.js';

const DIGEST = 'shop:secret';
const [OWN] = idsOfDigest(DIGEST);
const nothing: (message: string) => void = () => {};
const [UNIMPLEMENTED, NO_NODE, NO_AUTH] = [-6, -101, -102];

describe('a judge of ACLs', () => {
  it('takes the nodes of the digest for its own if the server has no whoAmI', async () => {
    const judge = judgeOf();
    expect(await judge.ownerOf('/n', server([{ ...OWN!, permissions: 31 }], UNIMPLEMENTED))).toEqual({
      czxid: 7n,
      others: undefined,
    });
  });

  it("counts a node as open to others if it admits the client's own address", async () => {
    const here = { scheme: 'ip', id: '10.0.0.1' };
    const judged = await judgeOf().ownerOf('/n', server([{ ...here, permissions: 31 }], [here]));
    expect(judged).toMatchObject({ others: 'ip:10.0.0.1:cdrwa' });
  });

  it('asks the server only once for its own identity, however many nodes it judges', async () => {
    const judge = judgeOf();
    const asked: number[] = [];
    for (const path of ['/a', '/b', '/c']) await judge.ownerOf(path, server([], [], asked));
    expect(asked.filter((opCode) => opCode === OP_CODE.WHO_AM_I)).toHaveLength(1);
    expect(asked.filter((opCode) => opCode === OP_CODE.GET_ACL)).toHaveLength(3);
  });

  it('gives no verdict on a missing node, and an error for a node without access', async () => {
    expect(await judgeOf().ownerOf('/n', server(NO_NODE))).toBeUndefined();
    await judgeOf().assertOwn('/n', server(NO_NODE));
    await expect(judgeOf().ownerOf('/n', server(NO_AUTH))).rejects.toThrow(NoAuthError);
  });

  it('warns once, of the first open node, if open ACLs are allowed', async () => {
    const warnings: string[] = [];
    const judge = judgeOf({ allowOpenAcl: true, warn: (message) => void warnings.push(message) });
    const open = server([{ permissions: 31, scheme: 'world', id: 'anyone' }]);
    await judge.assertOwn('/a', open);
    await judge.assertOwn('/b', open);
    expect(warnings).toEqual([expect.stringContaining('/a: its ACL (world:anyone:cdrwa)')]);
  });
});

function judgeOf({ allowOpenAcl = false, warn = nothing } = {}): AclJudge {
  const credentials = new Hidden({ digest: DIGEST, sasl: undefined, tls: undefined, requireTls: false });
  return new AclJudge(new Protocol(loadJute(), true), { credentials, allowOpenAcl }, warn);
}

/** Answers as a server does: with an ACL and the client's identity, or with an error. */
function server(
  acl: readonly AclEntry[] | number,
  asking: readonly Pick<AclEntry, 'scheme' | 'id'>[] | number = [],
  asked: number[] = [],
): Ask {
  return async (_operation, { opCode, read }) => {
    asked.push(opCode);
    const answer = opCode === OP_CODE.GET_ACL ? acl : asking;
    if (typeof answer === 'number') return { kind: 'refused', code: answer };
    const entries = answer.map((entry) =>
      Buffer.concat([
        'permissions' in entry && typeof entry.permissions === 'number' ? int(entry.permissions) : Buffer.alloc(0),
        text(entry.scheme),
        text(entry.id),
      ]),
    );
    const czxid = Buffer.alloc(8);
    czxid.writeBigInt64BE(7n);
    const bytes = Buffer.concat([int(answer.length), ...entries, czxid, Buffer.alloc(60)]);
    return { kind: 'ok', value: read(new ReplyReader(bytes)) };
  };
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
}
