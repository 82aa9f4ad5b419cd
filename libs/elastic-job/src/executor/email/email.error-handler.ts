import { createTransport } from 'nodemailer';
import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import {
  describeReport,
  type DeliveryTerms,
  type FailureReport,
  type JobErrorHandler,
  type JobProps,
  PropsReader,
  show,
} from '../../domain/index.js';

const DEFAULT_SUBJECT = 'ElasticJob error message';
const GREATEST_PORT = 65_535;
/** How long a server may take to answer the connection, and each command, in milliseconds. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
/** How long all of it may take, in milliseconds. */
const DELIVERY_MS = 20_000;

/** The props of `EMAIL`, as ElasticJob names them. */
interface EmailSettings {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** TLS from the first byte on; without, a server that offers STARTTLS is taken at its word. */
  readonly useSsl: boolean;
  /** Servers whose certificate is not checked: names separated by blanks, or `*`. */
  readonly trust: string;
  readonly subject: string;
  readonly from: string;
  /** Separated by commas. */
  readonly to: string;
  readonly cc: string | undefined;
  readonly bcc: string | undefined;
  /** Writes what is said to the server to the console, the password excepted. */
  readonly debug: boolean;
}

/**
 * `EMAIL`: a mail for each report. Props: `email.host`, `email.port`, `email.username`, `email.password`, `email.from`,
 * `email.to` (several are separated by commas); `email.useSsl` (true), `email.ssl.trust`, `email.subject` ("ElasticJob error
 * message"), `email.cc`, `email.bcc`, `email.debug` (false).
 *
 * ```ts
 * ElasticJobModule.forRoot({ errorHandlers: [new EmailErrorHandler()] })
 * ```
 * @see ElasticJob, `EmailJobErrorHandler`
 */
export class EmailErrorHandler implements JobErrorHandler {
  readonly type = 'EMAIL';

  findFaults(props: JobProps): readonly string[] {
    const reader = new PropsReader(props);
    read(reader);
    return reader.faults;
  }

  timeLimitMs(): number {
    return DELIVERY_MS;
  }

  async handle(report: FailureReport, { props }: DeliveryTerms): Promise<void> {
    const settings = read(new PropsReader(props));
    const { from, to, cc, bcc, subject } = settings;
    const transport = createTransport(transportOf(settings));
    try {
      await transport.sendMail({ from, to, cc, bcc, subject, text: describeReport(report) });
    } finally {
      transport.close();
    }
  }
}

function read(reader: PropsReader): EmailSettings {
  return {
    host: reader.required('email.host'),
    port: reader.positive('email.port', undefined, GREATEST_PORT),
    username: reader.required('email.username'),
    password: reader.required('email.password'),
    useSsl: reader.flag('email.useSsl', true),
    trust: reader.text('email.ssl.trust') ?? '',
    subject: reader.text('email.subject') ?? DEFAULT_SUBJECT,
    from: addressed(reader, 'email.from', reader.required('email.from')),
    to: addressed(reader, 'email.to', reader.required('email.to')),
    cc: addressed(reader, 'email.cc', reader.text('email.cc')),
    bcc: addressed(reader, 'email.bcc', reader.text('email.bcc')),
    debug: reader.flag('email.debug', false),
  };
}

/** What the mail server will think of the addresses nobody knows; but text without any is a mistake. */
function addressed<Text extends string | undefined>(reader: PropsReader, name: string, text: Text): Text {
  if (text && !/[^\s@]@[^\s@]/.test(text)) reader.faults.push(`${name} must be an address, but is ${show(text)}`);
  return text;
}

/** @see Jakarta Mail, `mail.smtp.ssl.trust`, for what a list of hosts or `*` means */
function transportOf({ host, port, username, password, useSsl, trust, debug }: EmailSettings): Options {
  const isTrusted = trust === '*' || trust.split(/\s+/).includes(host);
  return {
    host,
    port,
    secure: useSsl,
    auth: { user: username, pass: password },
    tls: { rejectUnauthorized: !isTrusted },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    logger: debug,
    debug,
  };
}
