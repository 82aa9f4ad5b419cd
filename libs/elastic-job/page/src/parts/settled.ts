import { useEffect, useState } from 'preact/hooks';

/** Nothing is asked while somebody types. */
const SETTLE_MS = 500;

/** The key once it has stayed the same for a moment. */
export function useSettled(key: string | undefined): string | undefined {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
