import { describe, expect, it } from 'vitest';
import { ReplyReader } from './reply-reader.js';
import { type Answer, PendingReplies, type Request } from './request.js';

const MOMENT = { monotonicMs: 1, wallMs: 2 };
const MAX_XID = 2 ** 31 - 1;
const noReply = new ReplyReader(Buffer.alloc(0));

describe('requests that wait for their replies', () => {
  it('are numbered from 1 again after the last number', () => {
    const replies = new PendingReplies(MAX_XID - 1);
    const { request } = number(0);
    expect([1, 2, 3].map(() => replies.expect(request, () => {}))).toEqual([MAX_XID, 1, 2]);
  });

  it('get their own answers if they are answered in order', () => {
    const replies = new PendingReplies();
    const heard: unknown[] = [];
    const total = 5_000;
    for (let n = 0; n < total; n += 1) replies.expect(number(n).request, (answer) => heard.push(answer));
    replies.markSent(MOMENT);
    for (let xid = 1; xid <= total; xid += 1) {
      expect(replies.sentAt(xid)).toBe(MOMENT);
      replies.answer(0, noReply);
    }
    expect(heard).toEqual(Array.from({ length: total }, (_, value) => ({ kind: 'ok', value })));
    expect(() => replies.sentAt(total + 1)).toThrow(RangeError);
  });

  it('cause an error if the second is answered before the first', () => {
    const replies = new PendingReplies();
    replies.expect(number(1).request, () => {});
    replies.expect(number(2).request, () => {});
    expect(() => replies.sentAt(2)).toThrow('reply 2 came instead of 1');
  });

  it('are reported as dropped once each, and as sent or not, if the connection drops', () => {
    const replies = new PendingReplies();
    const heard: Answer<number>[] = [];
    const cause = new Error('cut');
    replies.expect(number(1).request, (answer) => heard.push(answer));
    replies.markSent(MOMENT);
    replies.expect(number(2).request, (answer) => heard.push(answer));
    replies.drop(cause);
    replies.drop(cause);
    expect(heard).toEqual([
      { kind: 'dropped', wasSent: true, cause },
      { kind: 'dropped', wasSent: false, cause },
    ]);
  });

  it('are answered once, even if the receiver of an answer drops the connection', () => {
    const replies = new PendingReplies();
    const heard: string[] = [];
    replies.expect(number(1).request, ({ kind }) => {
      heard.push(`first ${kind}`);
      replies.drop(new Error('cut'));
    });
    replies.expect(number(2).request, ({ kind }) => heard.push(`second ${kind}`));
    replies.answer(0, noReply);
    expect(heard).toEqual(['first ok', 'second dropped']);
  });

  it('stay pending after a malformed reply, which is an error', () => {
    const replies = new PendingReplies();
    const heard: Answer<number>[] = [];
    const request: Request<number> = { ...number(1).request, read: (reply) => reply.int() };
    replies.expect(request, (answer) => heard.push(answer));
    expect(() => replies.answer(0, noReply)).toThrow(RangeError);
    replies.drop(new Error('garbage'));
    expect(heard).toMatchObject([{ kind: 'dropped' }]);
  });

  it('call the hooks of a request before its sender', () => {
    const replies = new PendingReplies();
    const { request, heard } = number(7);
    replies.expect(request, () => heard.push('sender'));
    replies.answer(-101, noReply);
    expect(heard).toEqual(['sending', 'answered refused', 'sender']);
  });
});

function number(value: number): { readonly request: Request<number>; readonly heard: string[] } {
  const heard: string[] = [];
  const request: Request<number> = {
    opCode: 0,
    payload: null,
    read: () => value,
    sending: () => heard.push('sending'),
    answered: ({ kind }) => heard.push(`answered ${kind}`),
  };
  return { request, heard };
}
