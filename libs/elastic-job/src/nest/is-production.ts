/** True where the environment says that this is no development and no test. */
export function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production';
}
