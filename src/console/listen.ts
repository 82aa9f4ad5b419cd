import type { INestApplication } from '@nestjs/common';

/** Address at which the console listens, unless `ELASTIC_JOB_CONSOLE_HOST` names another one. */
const HOST = '127.0.0.1';
const PORT = '3000';
const MOST_PORT = 65_535;

/**
 * Listens where `ELASTIC_JOB_CONSOLE_HOST` and `PORT` say.
 * @returns the origin of its URLs
 * @throws an error in words for a port that is none, or that another program has
 */
export async function listen(app: Pick<INestApplication, 'getUrl' | 'listen'>): Promise<string> {
  const host = process.env.ELASTIC_JOB_CONSOLE_HOST || HOST;
  const port = process.env.PORT?.trim() || PORT;
  // Node takes another text for the path of a socket, and leaves a file of that name behind.
  if (!/^\d{1,5}$/.test(port) || Number(port) > MOST_PORT) {
    throw new Error(`PORT must be a number from 0 to ${MOST_PORT}, but is "${port}".`);
  }
  try {
    await app.listen(port, host);
  } catch (error) {
    throw isTaken(error)
      ? new Error(`Port ${port} of ${host} is taken. Choose another one: PORT=3001 npm start`)
      : error;
  }
  return (await app.getUrl()).replace(/\/$/, '');
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
