import { JobPaths } from '../coordination/index.js';
import { findJobNameFault, type JobName, NODE_TEXT_LIMITS } from '../domain/index.js';
import { RequestTooLargeError } from '../registry/index.js';
import { InvalidArgumentError } from './operations.errors.js';

/** The paths of a job that an operator names. @throws {InvalidArgumentError} if no job can have the name */
export function pathsOf(jobName: JobName): JobPaths {
  assertNodeName('jobName', jobName);
  return new JobPaths(jobName);
}

/** An address has to be a valid node name, as a job's name. @throws {InvalidArgumentError} */
export function assertServerIp(serverIp: string): void {
  assertNodeName('serverIp', serverIp);
}

/** @throws {InvalidArgumentError} */
export function assertItem(item: number): void {
  if (!Number.isSafeInteger(item) || item < 0) {
    throw new InvalidArgumentError('item', item, 'must be a whole number from 0');
  }
}

/**
 * @param operation the operation that writes the text @throws {RequestTooLargeError} if the text is beyond what
 * instances read
 */
export function assertReadable(operation: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > NODE_TEXT_LIMITS.bytes) throw new RequestTooLargeError(operation, bytes, NODE_TEXT_LIMITS.bytes);
}

function assertNodeName(argument: string, value: string): void {
  const fault = findJobNameFault(value);
  if (fault !== undefined) throw new InvalidArgumentError(argument, value, fault);
}
