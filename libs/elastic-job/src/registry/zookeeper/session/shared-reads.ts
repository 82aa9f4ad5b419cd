import { Batch } from '../../../domain/index.js';
import { type Answer, type NodeFound, type NodeRead, readPieces, type Reply } from '../wire/index.js';

/** A part of a node to be read. */
interface WantedPart {
  readonly read: NodeRead;
  /** Receives the reply, in the order of the server; undefined if the connection broke first. */
  receive(reply: Reply<NodeFound> | undefined): void;
}

type Counted = 'foreground' | 'background';

/** Combines all reads of one turn of the event loop into common requests. */
export class SharedReads {
  private readonly wanted = new Batch<WantedPart>();
  private counted: Counted = 'background';

  constructor(
    private readonly send: (
      reads: readonly NodeRead[],
      counted: Counted,
      receive: (answer: Answer<readonly NodeFound[]>) => void,
    ) => void,
  ) {}

  /** @param counted kind of traffic; a request counts as foreground if one of its parts does */
  add(parts: readonly WantedPart[], counted: Counted): void {
    if (this.wanted.size === 0) process.nextTick(() => this.sendAll());
    for (const part of parts) this.wanted.add(part);
    if (counted === 'foreground') this.counted = counted;
  }

  private sendAll(): void {
    const { counted } = this;
    const wanted = this.wanted.take();
    this.counted = 'background';
    let next = 0;
    for (const piece of readPieces(wanted.map(({ read }) => read))) {
      const parts = wanted.slice(next, (next += piece.length));
      this.send(piece, counted, (answer) => {
        for (const [index, part] of parts.entries()) part.receive(replyTo(answer, index));
      });
    }
  }
}

function replyTo(answer: Answer<readonly NodeFound[]>, index: number): Reply<NodeFound> | undefined {
  if (answer.kind === 'dropped') return undefined;
  return answer.kind === 'ok' ? { kind: 'ok', value: answer.value[index]! } : answer;
}
