import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import {
  ConfigurationError,
  describeReport,
  type DeliveryTerms,
  errorOfImport,
  type FailureReport,
  type JobErrorHandler,
  type JobProps,
  LOCAL_TARGET,
  type PropClasses,
  PropsReader,
  type PropTargets,
  targetsAmong,
} from '../../domain/index.js';
import { EMAIL_TABLE, type EmailErrorHandlerOptions, PLACE } from './email-options.js';

const LINE_BREAK = /[\r\n]/;
const DEFAULT_SUBJECT = 'ElasticJob error message';
/** Longest wait for the connection, and for the answer to each command, in milliseconds. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
/** Longest time of one delivery, in milliseconds. */
const DELIVERY_MS = 20_000;

/** The props of `EMAIL`, as ElasticJob names them. */
interface EmailSettings {
  readonly subject: string;
  readonly from: string;
  /** Separated by commas. */
  readonly to: string;
  readonly cc: string | undefined;
  readonly bcc: string | undefined;
}

/** Mails go out in the name of the process, so a stranger writes neither their addresses nor their subject. */
export const EMAIL_PROPS: PropClasses = {
  'email.from': LOCAL_TARGET,
  'email.to': LOCAL_TARGET,
  'email.cc': LOCAL_TARGET,
  'email.bcc': LOCAL_TARGET,
  'email.subject': LOCAL_TARGET,
};

/**
 * `EMAIL`: a mail for each report. The server, the account and the trusted certificates are set here only: ElasticJob's
 * props for them are ignored, since an editor of the registry could redirect the password.
 *
 * Props:
 * - `email.from` (required): sender. The registry's is ignored, as are its values of the other props.
 * - `email.to` (required): receivers, separated by commas.
 * - `email.cc` (none): further receivers, separated by commas.
 * - `email.bcc` (none): receivers whom the others do not see, separated by commas.
 * - `email.subject` (ElasticJob error message): subject, in one line.
 *
 * ```ts
 * ElasticJobModule.forRoot({
 *   errorHandlers: [new EmailErrorHandler({ host: 'smtp.example.org', auth: { username: 'jobs', password } })],
 * })
 * ```
 * @see ElasticJob, `EmailJobErrorHandler`
 */
export class EmailErrorHandler implements JobErrorHandler {
  readonly type = 'EMAIL';
  readonly targets: PropTargets = targetsAmong(EMAIL_PROPS);
  // Truly private: it holds a password.
  readonly #server: Options;
  readonly #given: JobProps;
  /** Imported at once, so that a missing package fails the start instead of the first report. */
  readonly #mailer: ReturnType<typeof importMailer>;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: EmailErrorHandlerOptions) {
    const checked = EMAIL_TABLE.checked(PLACE, options);
    this.#server = serverOf(checked);
    const { from, to } = checked;
    this.#given = { ...(from !== undefined && { 'email.from': from }), ...(to !== undefined && { 'email.to': to }) };
    const faults = Object.entries(this.#given).flatMap(([name, text]) => findAddressFaults(name, text));
    if (faults.length > 0) throw new ConfigurationError(PLACE, faults);
    this.#mailer = importMailer();
    this.#mailer.catch((error: Error) => process.emitWarning(error));
  }

  findFaults(props: JobProps): readonly string[] {
    const reader = this.readerOf(props);
    read(reader);
    return reader.faults;
  }

  timeLimitMs(): number {
    return DELIVERY_MS;
  }

  /** @throws {MissingPackageError} if nodemailer is not installed */
  async handle(report: FailureReport, { props }: DeliveryTerms): Promise<void> {
    const { createTransport } = await this.#mailer;
    const transport = createTransport(this.#server);
    try {
      await transport.sendMail({ ...read(this.readerOf(props)), text: describeReport(report) });
    } finally {
      transport.close();
    }
  }

  private readerOf(props: JobProps): PropsReader {
    return new PropsReader({ ...props, ...this.#given });
  }
}

async function importMailer(): Promise<typeof import('nodemailer')> {
  try {
    return await import('nodemailer');
  } catch (error) {
    throw errorOfImport(error, 'nodemailer', PLACE);
  }
}

function read(reader: PropsReader): EmailSettings {
  const required = (name: string) => addressed(reader, name, reader.required(name));
  const optional = (name: string) => addressed(reader, name, reader.text(name));
  const subject = reader.text('email.subject') ?? DEFAULT_SUBJECT;
  if (LINE_BREAK.test(subject)) reader.faults.push('email.subject must be one line');
  return {
    subject,
    from: required('email.from'),
    to: required('email.to'),
    cc: optional('email.cc'),
    bcc: optional('email.bcc'),
  };
}

function addressed<Text extends string | undefined>(reader: PropsReader, name: string, text: Text): Text {
  if (text) reader.faults.push(...findAddressFaults(name, text));
  return text;
}

/**
 * Checks only for a missing "@", which is a mistake, and for line breaks, which are an attack; the mail server judges
 * the rest.
 */
function findAddressFaults(name: string, text: string): readonly string[] {
  if (LINE_BREAK.test(text)) return [`${name} must be one line`];
  return /[^\s@]@[^\s@]/.test(text) ? [] : [`${name} must be an address`];
}

function serverOf({ host, port, secure = true, auth, ca, insecure = false }: EmailErrorHandlerOptions): Options {
  if (auth !== undefined && insecure) {
    const problem =
      'insecure and auth exclude each other: a password is sent only over TLS that is checked; name the ca';
    throw new ConfigurationError(PLACE, [problem]);
  }
  return {
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    requireTLS: !insecure,
    ...(auth !== undefined && { auth: { user: auth.username, pass: auth.password } }),
    tls: { rejectUnauthorized: !insecure, ...(ca !== undefined && { ca: [ca].flat() }) },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  };
}
