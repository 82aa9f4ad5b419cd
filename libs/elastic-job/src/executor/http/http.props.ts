import { findFault, type JobProps, show } from '../../domain/index.js';
import { findMissing, findWrongMs } from '../props.js';

/** The properties of an HTTP job, by ElasticJob's names. */
const URI = 'http.uri';
const METHOD = 'http.method';
const DATA = 'http.data';
const CONTENT_TYPE = 'http.content.type';
const CONNECT_TIMEOUT = 'http.connect.timeout.milliseconds';
const READ_TIMEOUT = 'http.read.timeout.milliseconds';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
/** Java's client knows no PATCH; where there is one, it has a body. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'DELETE', 'PATCH'];
/** What Java's client sends a body as, unless it is told. @see java.net.HttpURLConnection */
const DEFAULT_CONTENT_TYPE = 'application/x-www-form-urlencoded';

/** What an HTTP job asks for. */
export interface HttpSettings {
  readonly uri: string;
  readonly method: string;
  readonly body: string | undefined;
  /** Undefined without a body, unless it is given. */
  readonly contentType: string | undefined;
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** @see FindPropsFaults */
export function findHttpFaults(props: JobProps): readonly string[] {
  return [
    ...findUriFaults(props),
    ...findMethodFaults(props),
    ...findContentTypeFaults(props),
    ...findWrongMs(props, CONNECT_TIMEOUT),
    ...findWrongMs(props, READ_TIMEOUT),
  ];
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
    connectTimeoutMs: Number(props[CONNECT_TIMEOUT] ?? 3_000),
    readTimeoutMs: Number(props[READ_TIMEOUT] ?? 5_000),
  };
}

function findUriFaults(props: JobProps): readonly string[] {
  const text = props[URI];
  if (!text) return findMissing(props, URI, 'https://example.org/settle');
  if (!URL.canParse(text)) return [`${URI} must be an absolute URL, but is ${show(withoutSecrets(text))}`];
  const { protocol, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) return [`${URI} must begin with http:// or https://, but begins with ${protocol}`];
  // fetch refuses them. The value stays unsaid.
  return username || password ? [`${URI} must not hold a user or a password`] : [];
}

function findMethodFaults(props: JobProps): readonly string[] {
  const method = props[METHOD];
  if (!method) return findMissing(props, METHOD, 'POST');
  return METHODS.includes(method) ? [] : [`${METHOD} must be one of ${METHODS.join(', ')}, but is ${show(method)}`];
}

function findContentTypeFaults({ [CONTENT_TYPE]: contentType }: JobProps): readonly string[] {
  if (!contentType || findFault(() => new Headers({ 'content-type': contentType })) === undefined) return [];
  return [`${CONTENT_TYPE} must fit a header, but is ${show(contentType)}`];
}

function withoutSecrets(uri: string): string {
  return uri.replace(/[?#].*$/s, '?...').replace(/[^/]*@/, '...@');
}
