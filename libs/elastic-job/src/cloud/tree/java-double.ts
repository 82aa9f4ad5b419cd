/**
 * A finite number as Java writes a `double`: at least one digit on each side of the point, and an exponent below a
 * thousandth and from ten million on. Java before 19 sometimes writes more digits than the number needs.
 * @see java.lang.Double#toString
 */
export function formatJavaDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa}${mantissa.includes('.') ? '' : '.0'}E${exponent.replace('+', '')}`;
}
