import { findFault, type JobProps, ORIGIN_TARGET, type PropClasses, PropsReader, WHEN } from '../../domain/index.js';

/** The properties of an HTTP job, by ElasticJob's names. */
const URI = 'http.uri';
const METHOD = 'http.method';
const DATA = 'http.data';
const CONTENT_TYPE = 'http.content.type';
const CONNECT_TIMEOUT = 'http.connect.timeout.milliseconds';
const READ_TIMEOUT = 'http.read.timeout.milliseconds';

/** Method and body decide the effect of a request as much as its address. */
const PART_OF_REQUEST = { partOf: URI };

export const HTTP_PROPS: PropClasses = {
  [URI]: ORIGIN_TARGET,
  [METHOD]: PART_OF_REQUEST,
  [DATA]: PART_OF_REQUEST,
  [CONTENT_TYPE]: PART_OF_REQUEST,
  [CONNECT_TIMEOUT]: WHEN,
  [READ_TIMEOUT]: WHEN,
};

const DEFAULT_CONNECT_MS = 3_000;
const DEFAULT_READ_MS = 5_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
/** Java's client cannot send PATCH; a PATCH request has a body. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'DELETE', 'PATCH'];
/** Content type that Java's client sends by default. @see java.net.HttpURLConnection */
const DEFAULT_CONTENT_TYPE = 'application/x-www-form-urlencoded';

/** Request of an HTTP job. */
export interface HttpSettings {
  readonly uri: string;
  readonly method: string;
  readonly body: string | undefined;
  /** Undefined without a body, unless the props set it. */
  readonly contentType: string | undefined;
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** @see FindPropsFaults */
export function findHttpFaults(props: JobProps): readonly string[] {
  const reader = new PropsReader(props);
  const uri = reader.required(URI, 'https://example.org/settle');
  const method = reader.required(METHOD, 'POST');
  reader.positive(CONNECT_TIMEOUT, DEFAULT_CONNECT_MS);
  reader.positive(READ_TIMEOUT, DEFAULT_READ_MS);
  return [...reader.faults, ...findUriFaults(uri), ...findMethodFaults(method), ...findContentTypeFaults(props)];
}

/** @param props without faults */
export function readHttpProps(props: JobProps): HttpSettings {
  const method = props[METHOD] ?? '';
  const body = METHODS_WITH_BODY.includes(method) ? props[DATA] || undefined : undefined;
  return {
    uri: props[URI] ?? '',
    method,
    body,
    contentType: props[CONTENT_TYPE] || (body === undefined ? undefined : DEFAULT_CONTENT_TYPE),
    connectTimeoutMs: Number(props[CONNECT_TIMEOUT] || DEFAULT_CONNECT_MS),
    readTimeoutMs: Number(props[READ_TIMEOUT] || DEFAULT_READ_MS),
  };
}

function findUriFaults(text: string): readonly string[] {
  if (text === '') return [];
  if (!URL.canParse(text)) return [`${URI} must be an absolute URL`];
  const { protocol, username, password } = new URL(text);
  if (!/^https?:/.test(protocol)) return [`${URI} must begin with http:// or https://`];
  // `fetch` refuses them.
  return username || password ? [`${URI} must not hold a user or a password`] : [];
}

function findMethodFaults(method: string): readonly string[] {
  return method === '' || METHODS.includes(method) ? [] : [`${METHOD} must be one of ${METHODS.join(', ')}`];
}

function findContentTypeFaults({ [CONTENT_TYPE]: contentType }: JobProps): readonly string[] {
  if (!contentType || findFault(() => new Headers({ 'content-type': contentType })) === undefined) return [];
  return [`${CONTENT_TYPE} must fit a header`];
}
