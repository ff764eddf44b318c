/** Whether colour is wanted, and by which flag or variable; null: it is left to the terminal. */
export function colourWish(
  flag: boolean | undefined,
  { NO_COLOR, FORCE_COLOR }: Readonly<Record<string, string | undefined>>,
): { wanted: boolean; flag?: string; variable?: string } | null {
  if (flag !== undefined) return { wanted: flag, flag: flag ? '--color' : '--no-color' };
  if (NO_COLOR) return { wanted: false, variable: 'NO_COLOR' };
  if (FORCE_COLOR) return { wanted: FORCE_COLOR !== '0', variable: 'FORCE_COLOR' };
  return null;
}
