import type { FrameSink } from '../contract/index.js';

/**
 * The sink of a stream that is open before its client's answer has begun, so that a refusal still is an answer of its
 * own. Frames wait until the client is there.
 */
export class LateSink implements FrameSink {
  private sink: FrameSink | undefined;
  private readonly frames: string[] = [];
  private readonly onDrains: (() => void)[] = [];
  private readonly onCloses: (() => void)[] = [];
  private isEnded = false;

  write(frame: string): boolean {
    if (this.sink !== undefined) return this.sink.write(frame);
    this.frames.push(frame);
    return true;
  }

  onDrain(listener: () => void): void {
    if (this.sink === undefined) this.onDrains.push(listener);
    else this.sink.onDrain(listener);
  }

  onClose(listener: () => void): void {
    if (this.sink === undefined) this.onCloses.push(listener);
    else this.sink.onClose(listener);
  }

  end(): void {
    this.isEnded = true;
    this.sink?.end();
  }

  /** Goes on at the client's sink, with all that has been written so far. */
  connect(sink: FrameSink): void {
    this.sink = sink;
    for (const listener of this.onDrains.splice(0)) sink.onDrain(listener);
    for (const listener of this.onCloses.splice(0)) sink.onClose(listener);
    for (const frame of this.frames.splice(0)) sink.write(frame);
    if (this.isEnded) sink.end();
  }
}
