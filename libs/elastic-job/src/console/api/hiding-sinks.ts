import { isObject } from '../../domain/index.js';
import type { ConsoleCaller, FrameSink } from '../contract/index.js';

const DATA = 'data:';

/** Hides what a caller may not see. It goes by the role and the prefix alone. */
export type HideFor = (data: unknown, caller: Pick<ConsoleCaller, 'jobPrefix' | 'role'>) => unknown;

/**
 * Hides in the data of frames what their callers may not see. A frame whose data is no JSON, as a heartbeat, stays. A
 * frame that goes to many is hidden once for all who have the same role and prefix: 200 rows take milliseconds.
 */
export class HidingSinks {
  /** The last frame, which may go to further streams. */
  private frame: string | undefined;
  /** That frame as it is seen, by role and prefix. */
  private readonly seen = new Map<string, string>();

  constructor(private readonly hide: HideFor) {}

  of(caller: ConsoleCaller, sink: FrameSink): FrameSink {
    return {
      write: (frame) => sink.write(this.seenBy(caller, frame)),
      onDrain: (listener) => sink.onDrain(listener),
      onClose: (listener) => sink.onClose(listener),
      end: () => sink.end(),
    };
  }

  private seenBy(caller: ConsoleCaller, frame: string): string {
    if (frame !== this.frame) this.seen.clear();
    this.frame = frame;
    const { jobPrefix = '', role } = caller;
    const key = `${role} ${jobPrefix}`;
    const seen = this.seen.get(key) ?? this.hidden(caller, frame);
    this.seen.set(key, seen);
    return seen;
  }

  private hidden(caller: ConsoleCaller, frame: string): string {
    // A line of a frame ends with a line feed alone. JSON has other ends of lines, as U+2028, as they are.
    const lines = frame.split('\n').map((line) => {
      const value = line.startsWith(DATA) ? valueOf(line.slice(DATA.length)) : undefined;
      const isHiding = isObject(value) || Array.isArray(value);
      return isHiding ? `${DATA} ${JSON.stringify(this.hide(value, caller))}` : line;
    });
    return lines.join('\n');
  }
}

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
