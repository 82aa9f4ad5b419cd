/**
 * Java's hash of a text, a signed 32-bit integer. Two of ElasticJob's strategies start from the hash of the job's name.
 * @see java.lang.String#hashCode
 */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}
