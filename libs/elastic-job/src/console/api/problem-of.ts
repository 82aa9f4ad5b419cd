/**
 * Errors as problems (RFC 9457). A problem tells what a caller can do about it. It has no stack, and no path of the
 * tree: texts of errors that name one are replaced.
 */
import { PartlyDoneError } from '../../coordination/index.js';
import {
  ConfigurationError,
  ElasticJobError,
  type Redact,
  statusOfError,
  TemplateLimitError,
  UnknownJobError,
} from '../../domain/index.js';
import {
  InvalidArgumentError,
  JavaPeersError,
  NoSuchFireTimeError,
  UnknownItemError,
  UnknownRerunError,
  UnknownServerError,
} from '../../operations/index.js';
import { ConsoleProblem, type ProblemAnswer, unknownJobProblem } from '../contract/index.js';

/** Facts of the request. */
interface Asked {
  readonly requestId: string;
  /** URL that shows what has become of a change. */
  readonly look: string;
  readonly redact: Redact;
}

/** A problem with the headers of its answer. */
export interface ProblemOf {
  readonly problem: ProblemAnswer;
  readonly headers: Readonly<Record<string, string>>;
  /** True for an error that nobody foresaw: it belongs in the log. */
  readonly isUnknown: boolean;
}

type Facts = ConsoleProblem['facts'];

/** Texts for errors whose own ones name paths of the tree, other jobs, or values. */
const DETAILS: ReadonlyMap<string, string> = new Map([
  ['REGISTRY_UNAVAILABLE', 'The registry does not answer; try again once it is back.'],
  ['SERVER_ERROR', 'The registry has answered with an error; its log, or that of this process, tells more.'],
  ['SESSION_LOST', 'This process has no session of the registry; try again in a moment.'],
  ['NO_AUTH', 'The registry does not let this process do that; compare its credentials with the ACL of the tree.'],
  ['UNTRUSTED_ACL', 'Others may change the nodes of the job, so that this process does not trust them.'],
  ['REQUEST_TOO_LARGE', 'The registry takes no request as large as that.'],
  [
    'CONFIGURATION_NODE',
    'The settings of the job cannot be used; `problem` of the job says why. PATCH a wrong value: If-Match is ' +
      'configVersion of the job, in quotes. A broken text is corrected in the registry, or by a start with overwrite.',
  ],
  ['CONTENTION', 'Others change the same nodes all the time; try again.'],
]);

/** Codes of problems that say where to look. */
const WITH_LOOK: readonly string[] = ['OUTCOME_UNKNOWN', 'PARTLY_DONE'];

/** Most fields of which the faults are told, and most characters of a text: texts repeat what was sent. */
const MOST_FIELDS = 100;
const MOST_TEXT = 4_096;

export function problemOf(error: unknown, asked: Asked): ProblemOf {
  if (error instanceof ConsoleProblem) {
    const { code, facts, headers, message, status } = error;
    return known(status, code, message, asked, facts, headers);
  }
  if (error instanceof ElasticJobError) {
    const status = statusOfError(error.code);
    if (status !== undefined) return known(status, error.code, detailOf(error), asked, factsOf(error));
  }
  const detail = `An error that nobody foresaw; the log of the process names the request ${asked.requestId}.`;
  return { ...known(500, 'INTERNAL', detail, asked), isUnknown: true };
}

function detailOf(error: ElasticJobError): string {
  if (error instanceof UnknownJobError) return unknownJobProblem(error.jobName).message;
  if (error instanceof UnknownServerError) return noServer(error);
  if (error instanceof UnknownRerunError) {
    return `There is no open re-run "${error.id}"; GET /jobs/${error.jobName}/reruns has those that have not ended.`;
  }
  if (error instanceof PartlyDoneError) {
    return `A part of the change is made; send the same request again, which makes the rest. ${detailOf(error.cause)}`;
  }
  if (error instanceof TemplateLimitError && error.limit === 'maxJobs') {
    // Their number would tell of jobs that are not there for the caller.
    return `Template ${error.template} has as many jobs as its maxJobs allows: ${error.allowed}.`;
  }
  return DETAILS.get(error.code) ?? error.message;
}

function noServer({ jobName, serverIp }: UnknownServerError): string {
  return jobName === undefined
    ? `There is no server "${serverIp}"; GET /servers has all of them.`
    : `Job "${jobName}" has no server "${serverIp}"; GET /jobs/${jobName} has all of them.`;
}

function factsOf(error: ElasticJobError): Facts {
  if (error instanceof UnknownItemError) return { items: error.items };
  if (error instanceof JavaPeersError) return { instances: error.instances };
  if (error instanceof NoSuchFireTimeError) return { before: isoOf(error.before), after: isoOf(error.after) };
  if (error instanceof InvalidArgumentError)
    return { fields: [{ field: error.argument, problem: 'cannot be such a name' }] };
  if (error instanceof ConfigurationError) return { fields: error.problems.map(fieldOf) };
  const current: unknown = Reflect.get(error, 'version');
  return error.code === 'CHANGED' && typeof current === 'number' ? { current } : {};
}

function isoOf(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}

/** A text of the library that begins with the name of a field. */
function fieldOf(text: string): { readonly field: string; readonly problem: string } {
  const [, field = '', problem = text] = /^([\w.-]+)[ :]+(.*)$/s.exec(text) ?? [];
  return { field, problem };
}

function known(
  status: number,
  code: string,
  detail: string,
  { look, redact, requestId }: Asked,
  facts: Facts = {},
  headers: ProblemOf['headers'] = {},
): ProblemOf {
  const shown = (text: string) => redact(text).slice(0, MOST_TEXT);
  const told = facts.fields?.slice(0, MOST_FIELDS);
  const fields = told?.map(({ field, problem }) => ({ field: shown(field), problem: shown(problem) }));
  const problem: ProblemAnswer = {
    type: `urn:elastic-job:problem:${code.toLowerCase()}`,
    title: code.toLowerCase().replaceAll('_', ' '),
    status,
    code,
    detail: shown(detail),
    requestId,
    ...facts,
    ...(WITH_LOOK.includes(code) && { look }),
    ...(fields !== undefined && { fields }),
  };
  return { problem, headers, isUnknown: false };
}
