/** An ensemble and a namespace in it, in words for the log and for errors. */
export function describeRegistry(servers: string, namespace: string): string {
  return `${servers} (namespace "${namespace}")`;
}
