import { type Clock, whileWaiting } from '../../clock/index.js';
import type { ConsoleCaller, ConsoleRequest, FrameSink } from '../contract/index.js';
import type { IdentityDoor, StreamDoor } from './doors.js';
import type { HidingSinks } from './hiding-sinks.js';
import { LateSink } from './late-sink.js';

/** Time between two looks whether the caller of a stream still may see it. */
const LOOK_MS = 15_000;

interface LiveParts {
  readonly clock: Clock;
  readonly identities: Pick<IdentityDoor, 'authenticate'>;
  readonly streams: StreamDoor;
  /** Hides what the caller may not see. */
  readonly sinks: Pick<HidingSinks, 'of'>;
}

/** A stream that is to be opened. */
interface LiveCall {
  readonly caller: ConsoleCaller;
  readonly topics: readonly string[];
}

/**
 * Opens a stream at once, so that a refusal is an answer. It ends with its client, and within 15 s once the caller is
 * logged out, or has another role or prefix. An open stream does not keep a session from being idle.
 * @returns the function that gives it the client's sink
 * @throws {ConsoleProblem} 404, 429
 */
export function openLive(
  { clock, identities, sinks, streams }: LiveParts,
  request: ConsoleRequest,
  { caller, topics }: LiveCall,
): (sink: FrameSink) => void {
  const late = new LateSink();
  const ending = new AbortController();
  streams.open(caller, topics, sinks.of(caller, late), ending.signal);
  const end = () => {
    if (ending.signal.aborted) return;
    timer.cancel();
    forget();
    ending.abort();
  };
  const look = async () => {
    const isStill = await isSame(identities, request, caller);
    if (ending.signal.aborted) return;
    if (isStill) timer = clock.setTimer(LOOK_MS, () => void look());
    else end();
  };
  let timer = clock.setTimer(LOOK_MS, () => void look());
  const forget = whileWaiting(request.signal, end);
  late.onClose(end);
  if (request.signal.aborted) end();
  return (sink) => late.connect(sink);
}

async function isSame(
  identities: LiveParts['identities'],
  request: ConsoleRequest,
  { jobPrefix, name, role }: ConsoleCaller,
): Promise<boolean> {
  try {
    const now = await identities.authenticate(request, false);
    return now.name === name && now.role === role && (now.jobPrefix ?? '') === (jobPrefix ?? '');
  } catch {
    return false;
  }
}
