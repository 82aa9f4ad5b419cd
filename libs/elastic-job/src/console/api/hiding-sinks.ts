import { isObject } from '../../domain/index.js';
import type { FrameSink } from '../contract/index.js';

/** Hides what a caller may not see in the data of frames. A frame whose data is no JSON, as a heartbeat, stays. */
export function hidingSink(sink: FrameSink, hide: (data: unknown) => unknown): FrameSink {
  return {
    write: (frame) =>
      sink.write(frame.replaceAll(/^data: ?(.*)$/gm, (_, data: string) => `data: ${hidden(data, hide)}`)),
    onDrain: (listener) => sink.onDrain(listener),
    onClose: (listener) => sink.onClose(listener),
    end: () => sink.end(),
  };
}

function hidden(data: string, hide: (data: unknown) => unknown): string {
  const value = valueOf(data);
  return isObject(value) || Array.isArray(value) ? JSON.stringify(hide(value)) : data;
}

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
