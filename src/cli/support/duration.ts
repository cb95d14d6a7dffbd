const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads `90`, `30s`, `15m`, `1h` or `7d` as seconds; undefined: the text is not a duration. */
export function durationSeconds(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  const seconds = Number(digits) * (unitSeconds[unit || 's'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}
