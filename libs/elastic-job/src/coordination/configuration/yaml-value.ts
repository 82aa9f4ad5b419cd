/** A YAML 1.1 boolean, or undefined. */
export function readBoolean(text: string): boolean | undefined {
  if (text.length > 5) return undefined;
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  return /^(?:false|no|off)$/i.test(text) ? false : undefined;
}

/** A YAML 1.1 integer, or undefined. */
export function readInteger(text: string): number | undefined {
  if (!/^[-+]?\d/.test(text)) return undefined;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  const size = readDigits(digits);
  return size !== undefined && text.startsWith('-') ? -size : size;
}

/** Binary, hexadecimal, octal, decimal, and base 60 with colons. */
function readDigits(digits: string): number | undefined {
  if (/^0b[01]+$/.test(digits)) return Number.parseInt(digits.slice(2), 2);
  if (/^0x[\da-f]+$/i.test(digits)) return Number.parseInt(digits.slice(2), 16);
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8);
  if (!/^(?:0|[1-9]\d*(?::[0-5]?\d)*)$/.test(digits)) return undefined;
  return digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/**
 * A number as Java reads a `double`: with or without a point or an exponent, with underscores, or base 60 with colons.
 */
export function readDouble(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  if (/^\d+(?::[0-5]?\d)+(?:\.\d*)?$/.test(digits)) {
    return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  }
  return /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits) ? sign * Number(digits) : undefined;
}
